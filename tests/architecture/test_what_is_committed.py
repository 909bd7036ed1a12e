import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from tests.architecture.tree import ROOT, files, short

# Put together here, so that this file does not hold what it forbids.
HOSTS = re.compile(r"\b(?:pypi\.%s|pythonhosted\.%s|npmjs\.(?:org|com)|deb\.debian\.%s)" % (("org",) * 3))
MACHINE_PATHS = re.compile(
    r"(?<![\w.])/(?:work|farm)/(?:main|shared|steering|\.library)|(?<![\w.])/root/(?!\.cache)"
)
SECRETS = re.compile(r"[sr]k_live_[A-Za-z0-9]{8,}|-----BEGIN [A-Z ]*PRIVATE" + " KEY-----")
LOCK = ROOT / "deploy" / "requirements.lock"


def _texts() -> dict[str, str]:
    """Every text of the project by its name; what is no text is somebody's picture or font."""
    texts = {}
    for path in files():
        try:
            texts[short(path)] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    assert len(texts) > 50, "the search for texts finds nothing"
    return texts


def _holding(pattern: re.Pattern[str]) -> list[str]:
    this = short(Path(__file__).resolve())
    return [name for name, text in _texts().items() if name != this and pattern.search(text)]


def test_no_file_names_a_package_host() -> None:
    assert _holding(HOSTS) == []


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    assert _holding(MACHINE_PATHS) == []


def test_no_file_holds_a_secret() -> None:
    assert _holding(SECRETS) == []


def test_the_lock_pins_everything_with_hashes_and_names_no_host() -> None:
    text = LOCK.read_text(encoding="utf-8")
    assert "://" not in text
    requirements = re.split(r"\n(?=\S)", text.strip())
    assert len(requirements) > 50
    for requirement in requirements:
        assert re.match(r"[A-Za-z0-9._-]+(\[[\w,-]+\])?==\S+", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement


def test_the_lock_has_a_fitting_version_of_everything_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [
        Requirement(line) for line in project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    ]
    locked = dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(asked) > 20
    assert [str(wish) for wish in asked if not wish.specifier.contains(locked.get(wish.name, "0"))] == []
    assert [wish.name for wish in asked if wish.name not in locked] == []
