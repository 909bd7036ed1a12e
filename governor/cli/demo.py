"""`governor demo`: what governor is for, played for real."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from governor.cli import two_agents
from governor.cli.options import data_option
from governor.cli.saying import Command, Group, Said
from governor.cli.up.announcement import READY_SECONDS, answers
from governor.cli.up.children import Program, ProgramChild
from governor.cli.up.data_folder import DEFAULT_FOLDER, DataFolder, Demo
from governor.domain.errors import Unavailable

STOP_SECONDS: Final = 12.0


@dataclass(frozen=True)
class Stage:
    """A running governor to play on."""

    url: str
    sandbox_url: str
    demo: Demo


@click.group("demo", cls=Group)
def demo() -> None:
    """Demonstrations on a running governor, or on one that is started for it and thrown away."""


@demo.command("two-agents", cls=Command)
@click.option("--url", help="Another address of the same governor, such as that of a proxy before it.")
@data_option("Folder of the running `governor up` to play on; when none runs, one is started for the play.")
def play_two_agents(url: str | None, data: Path | None) -> Said:
    """Two agents want 1500 each of a headroom of 2000, at once. Exit 0 when exactly one refund was made."""
    with _stage(data) as stage:
        return two_agents.play(url or stage.url, stage.sandbox_url, stage.demo)


@contextmanager
def _stage(data: Path | None) -> Iterator[Stage]:
    """The governor that runs on the folder, else, when no folder was named, one of our own.

    Raises:
        Unavailable: `governor_not_running`.
    """
    found = _running(data or DEFAULT_FOLDER)
    if found is not None:
        yield found
    elif data is not None:
        raise Unavailable("governor_not_running", f"No `governor up` with demo data runs on {data}.")
    else:
        with _own() as stage:
            yield stage


def _running(path: Path) -> Stage | None:
    folder = DataFolder(path) if path.is_dir() else None
    addresses = folder.addresses() if folder is not None else None
    if folder is None or addresses is None or not answers(f"{addresses.url}/readyz"):
        return None
    known = folder.last_demo()
    return None if known is None else Stage(addresses.url, addresses.sandbox_url, known)


@contextmanager
def _own() -> Iterator[Stage]:
    """A `governor up` in a temporary folder, gone with everything in it at the end."""
    with tempfile.TemporaryDirectory(prefix="governor-demo-") as name:
        folder = Path(name)
        ready = folder / "ready.json"
        # Other users may not read here, but PostgreSQL, which root runs as nobody, must pass through.
        folder.chmod(0o711)
        up = (sys.executable, "-m", "governor.cli.main", "up", "--data", str(folder / "data"), "--port", "0")
        child = ProgramChild(Program("up", (*up, "--ready-file", str(ready)), os.environ))
        child.start()
        try:
            _wait_until_ready(child, ready)
            told = json.loads(ready.read_text(encoding="utf-8"))
            yield Stage(told["url"], told["sandbox_url"], Demo(told["keys"], told["payments"]))
        finally:
            child.ask_to_stop()
            child.stop(STOP_SECONDS)


def _wait_until_ready(child: ProgramChild, ready: Path) -> None:
    """Back when the ready file is there.

    Raises:
        Unavailable: `governor_not_running`, with the last lines that were said, when it ended or took too long.
    """
    deadline = time.monotonic() + READY_SECONDS
    said: list[str] = []
    while not ready.exists():
        said = [*said, *(child.read_lines() or [])][-15:]
        if child.pid is None or time.monotonic() > deadline:
            raise Unavailable("governor_not_running", "`governor up` did not start:\n" + "\n".join(said))
        time.sleep(0.02)
