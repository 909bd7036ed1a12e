"""The disk is full: 503 and never "denied", nothing half; when there is room again, everything goes on."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from governor.usecases.callers import Caller
from tests.builders import World, ask, fresh_key
from tests.servers import execute
from tests.stack import eventually
from tests.standby import mortal_server

DISK_MEGABYTES = 400
PAGE = 8192


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of this test's own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        said = mounted.stderr.strip()
        pytest.skip(f"issue 3, point 11: a disk can only be filled where one may be mounted: {said}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def server(
    postgres_server: EmbeddedPostgres, migrated_template: str, disk: Path
) -> Iterator[EmbeddedPostgres]:
    """A server on that disk."""
    assert migrated_template
    with mortal_server(postgres_server, disk / "server") as server:
        yield server


@pytest.fixture
def database_url(server: EmbeddedPostgres, migrated_template: str) -> str:
    """Nobody copies from this server: its only migrated database is used itself."""
    return server.url(migrated_template)


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    """A world whose clock can be moved."""
    return new_world(clock=True)


def _fill(disk: Path) -> Path:
    """Take every page that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        os.posix_fallocate(file.fileno(), 0, free // PAGE * PAGE)
    return ballast


def _outcome(world: World, agent: Caller, payment: str, key: str) -> str:
    try:
        return world.answer(agent, ask(payment, 10), key).request.state.value
    except Unavailable as error:
        return error.code


def test_a_full_disk_decides_nothing_and_breaks_nothing(
    world: World, server: EmbeddedPostgres, disk: Path
) -> None:
    """RELIABILITY A22, J9: admissions and denials are 503 while nothing can be written, and decided later."""
    world.limit(10**9)
    agent, payments = world.caller(), [world.payment(5000) for _ in range(40)]
    before = world.request(agent, world.payment(5000), 1500)
    ballast = _fill(disk)
    keys: list[str] = []
    outcomes: list[str] = []

    def refused() -> bool:
        """Ask until there is no room for another row: what fits into pages that are there is decided still."""
        keys.append(fresh_key())
        outcomes.append(_outcome(world, agent, payments[len(keys) % len(payments)], keys[-1]))
        return outcomes[-1] != "queued"

    eventually(refused)
    assert outcomes[-1] == "decision_not_recorded"
    ballast.unlink()
    server.start()
    world.app.engine.dispose()
    eventually(lambda: _outcome(world, agent, payments[len(keys) % len(payments)], keys[-1]) == "queued")
    execute(server, "SELECT 1")
    world.drain(before)
    assert world.now(before).state is State.SUCCEEDED
