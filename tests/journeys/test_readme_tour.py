"""The README's commands are run as they stand there, and answer what stands there."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from governor.settings import Settings
from tests.journeys.tour import Step, steps, take
from tests.servers import libpq
from tests.stack import PATIENCE_SECONDS, PROJECT, eventually
from tests.twin import Twin

CURL = Path(__file__).with_name("curl.py")


def _environment(**more: str) -> dict[str, str]:
    """This process's, without what could lead the commands elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOVERNOR_")}
    return {**kept, "PYTHONPATH": str(PROJECT), "LC_ALL": "C.UTF-8", **more}


def _program(path: Path, *command: str) -> None:
    """A program that becomes another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as a newcomer has it after `make install`: the command and its Python are in .venv/bin."""
    _program(tmp_path / ".venv" / "bin" / "python3", sys.executable)
    _program(tmp_path / ".venv" / "bin" / "governor", sys.executable, "-m", "governor.cli.main")
    if shutil.which("curl") is None:
        _program(tmp_path / ".venv" / "bin" / "curl", sys.executable, str(CURL))
    return tmp_path


@contextmanager
def _running(start: Step, folder: Path) -> Iterator[None]:
    """What the first commands of the tour start, on any free port; ended as Ctrl-C would."""
    make, target, arguments = shlex.split(start.commands)
    assert (make, target, arguments[:5]) == ("make", "run", "ARGS=")
    options = shlex.split(arguments.removeprefix("ARGS="))
    ready = folder / options[options.index("--ready-file") + 1]
    governor = [str(folder / ".venv" / "bin" / "governor"), "up", "--port", "0", *options]
    with (folder / "up.log").open("wb") as log:
        up = subprocess.Popen(governor, cwd=folder, env=_environment(), stdout=log, stderr=log)
    try:
        eventually(lambda: ready.exists() or up.poll() is not None, (folder / "up.log").read_text)
        assert up.poll() is None, (folder / "up.log").read_text()
        yield
    finally:
        up.send_signal(signal.SIGINT)
        assert up.wait(PATIENCE_SECONDS) == 0, (folder / "up.log").read_text()


def test_the_tour_answers_what_the_readme_says(folder: Path) -> None:
    start, *tour = steps(PROJECT / "README.md", "Five minutes")
    assert len(tour) > 8
    with _running(start, folder):
        answered = take(tour, folder, _environment())
    assert [
        (step.commands, said) for step, said in zip(tour, answered, strict=True) if not step.fits(said)
    ] == []


def test_the_way_to_a_stripe_account_ends_in_an_environment_with_a_limit_and_keys(
    folder: Path, database_url: str, redis_url: str, twin: Twin
) -> None:
    variables, commands = steps(PROJECT / "README.md", "With a real Stripe test account")
    must_be_set = {
        f"GOVERNOR_{name.upper()}" for name, field in Settings.model_fields.items() if field.is_required()
    }
    assert set(re.findall(r"^export (\w+)=", variables.commands, re.MULTILINE)) == must_be_set
    environment = _environment(
        GOVERNOR_DATABASE_URL=database_url,
        GOVERNOR_REDIS_URL=redis_url,
        GOVERNOR_STRIPE_KEY="rk_test_way",
        GOVERNOR_PEPPER="a pepper of more than thirty-two characters",
        GOVERNOR_PROVIDER_URL=twin.url,
        PATH=f"{folder / '.venv' / 'bin'}:{os.environ['PATH']}",
    )
    (said,) = take([commands], folder, environment)
    assert len(set(re.findall(r"gvk_test_\w+", said))) == 2
    with psycopg.connect(libpq(database_url)) as session:
        assert session.execute("SELECT name, mode FROM environments").fetchall() == [("test", "enforce")]
        limits = session.execute(
            "SELECT scope, currency, change.cap, change.approval_above FROM limits"
            " JOIN limit_changes change ON change.limit_id = limits.id"
        ).fetchall()
        assert limits == [("environment", "usd", 100_000, 20_000)]
        keys = session.execute("SELECT role, kind, owner FROM credentials ORDER BY role").fetchall()
        assert keys == [("agent", "program", "ada"), ("approver", "human", "carla")]


def test_an_answer_is_only_what_it_is_said_to_be() -> None:
    step = Step("", "state: queued\nid: rr_…\n…\nend\n")
    assert step.fits("state: queued\nid: rr_123\none\ntwo\nend\n")
    assert step.fits("state: queued\nid: rr_123\nend\n")
    assert not step.fits("state: denied\nid: rr_123\nend\n")
    assert not step.fits("state: queued\nid: rr_123\nend\nmore\n")
    assert not step.fits("state: queued\nid: hold_1\nend\n")


def test_a_tour_stops_at_the_first_command_that_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="first"):
        take([Step("echo first"), Step("false"), Step("echo third")], tmp_path, _environment())


@pytest.mark.parametrize(
    "sent", [[], ["-d", '{"kind": "error_503", "times": 1}'], ["-X", "DELETE"]], ids=["get", "post", "delete"]
)
def test_where_there_is_no_curl_another_does_the_same(sent: list[str], twin: Twin) -> None:
    own = [
        sys.executable,
        str(CURL),
        "-s",
        f"{twin.url}/_sandbox/faults",
        "-H",
        "Accept: application/json",
        *sent,
    ]
    done = subprocess.run(own, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    answered = json.loads(done.stdout)
    assert answered.get("kind", answered.get("faults")) == ("error_503" if "-d" in sent else [])
    refused = subprocess.run([*own, "-i"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
