import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def bootstrap(project_root: Path) -> ModuleType:
    """The script as a module, fresh, so that a test may change where it works."""
    spec = importlib.util.spec_from_file_location("bootstrap", project_root / "deploy" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _only(monkeypatch: pytest.MonkeyPatch, bootstrap: ModuleType, *there: str) -> list[list[str]]:
    """The installers, best first, when only these programs exist: ``uv``, ``base pip``, ``ensurepip``, ``pip3``."""

    def answers(*command: str) -> bool:
        known = {
            "uv": ("uv", "--version"),
            "base pip": (bootstrap.BASE_PYTHON, "-m", "pip", "--version"),
            "ensurepip": (bootstrap.PYTHON, "-m", "ensurepip"),
            "pip3": ("pip3", "--version"),
        }
        return command in {known[name] for name in there}

    monkeypatch.setattr(bootstrap, "answers", answers)
    return [command for command in bootstrap.installers() if "python-wheels" not in " ".join(command)]


def test_uv_is_preferred_and_pip_is_tried_where_it_fails(
    monkeypatch: pytest.MonkeyPatch, bootstrap: ModuleType
) -> None:
    commands = _only(monkeypatch, bootstrap, "uv", "base pip", "ensurepip", "pip3")
    assert [command[:3] for command in commands] == [
        ["uv", "pip", "sync"],
        [bootstrap.BASE_PYTHON, "-m", "pip"],
        [bootstrap.PYTHON, "-m", "pip"],
        ["pip3", "--python", bootstrap.PYTHON],
    ]
    assert "--compile-bytecode" in commands[0]


@pytest.mark.parametrize("there", ["uv", "base pip", "ensurepip", "pip3"])
def test_each_installer_is_enough_and_every_one_checks_the_hashes(
    monkeypatch: pytest.MonkeyPatch, bootstrap: ModuleType, there: str
) -> None:
    (command,) = _only(monkeypatch, bootstrap, there)
    assert "--require-hashes" in command
    assert str(bootstrap.LOCK) in command


def test_without_any_installer_it_says_so(monkeypatch: pytest.MonkeyPatch, bootstrap: ModuleType) -> None:
    monkeypatch.setattr(bootstrap, "installers", lambda: iter([["false"]]))
    with pytest.raises(SystemExit, match="the packages could not be installed"):
        bootstrap.fill_environment()


def test_a_second_installer_is_tried_when_the_first_fails(
    monkeypatch: pytest.MonkeyPatch, bootstrap: ModuleType, tmp_path: Path
) -> None:
    done = tmp_path / "done"
    monkeypatch.setattr(bootstrap, "installers", lambda: iter([["false"], ["touch", str(done)], ["false"]]))
    bootstrap.fill_environment()
    assert done.exists()


def test_the_command_works_from_a_folder_with_a_space_in_its_name(
    monkeypatch: pytest.MonkeyPatch, bootstrap: ModuleType, tmp_path: Path, project_root: Path
) -> None:
    venv = tmp_path / "my folder" / ".venv"
    subprocess.check_call([sys.executable, "-m", "venv", "--without-pip", venv])
    monkeypatch.setattr(bootstrap, "VENV", venv)
    monkeypatch.setattr(bootstrap, "PYTHON", str(venv / "bin" / "python"))
    monkeypatch.setattr(bootstrap, "OWN_PACKAGES", ())
    bootstrap.link_project()
    bootstrap.link_project()
    assert os.access(venv / "bin" / "governor", os.X_OK)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": _site_packages()}
    done = subprocess.run(
        [venv / "bin" / "governor", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd="/",
    )
    assert "Everything on this machine" in done.stdout
    assert str(project_root) in next(venv.glob("lib/*/site-packages/governor.pth")).read_text()


def _site_packages() -> str:
    """Where this run's click is, for an environment that has nothing of its own."""
    spec = importlib.util.find_spec("click")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent.parent)


def test_old_pythons_hand_over_to_a_newer_one_or_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, bootstrap: ModuleType, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer"):
        bootstrap.newer_python()
    newer = tmp_path / "python3.14"
    newer.write_text("#!/bin/sh\nexit 0\n")
    newer.chmod(0o755)
    assert bootstrap.newer_python() == str(newer)


def test_an_unknown_verb_shows_how_it_is_used(bootstrap: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"bootstrap\.py install"):
        bootstrap.main(["instal"])


def test_make_only_calls_the_script(project_root: Path) -> None:
    recipes = re.findall(r"^\t(.*)$", (project_root / "Makefile").read_text(), re.MULTILINE)
    assert recipes == ["@$(PYTHON) deploy/bootstrap.py $@ $(ARGS)"]


def test_the_script_needs_only_the_standard_library(project_root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", project_root / "deploy" / "bootstrap.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Everything from nothing" in done.stderr


def test_the_command_may_be_imported_again_by_the_processes_it_spawns(
    tmp_path: Path, bootstrap: ModuleType
) -> None:
    """`governor bench` spawns processes, and each of them reads the command's file without running it."""
    script = tmp_path / "governor"
    script.write_text(bootstrap.COMMAND.format(python=sys.executable), encoding="utf-8")
    names = runpy.run_path(str(script), run_name="__mp_main__")
    assert callable(names["main"])
