"""What a storm plays on: servers, the provider twin, governor's processes, and an environment with keys and payments."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.server_process import free_port
from adapters.embedded.valkey import EmbeddedRedis
from governor.bench.world import STRIPE_KEY, as_variables, settings
from governor.bootstrap import Application, build
from governor.chaos import servers
from governor.chaos.plan import PROVIDER, WEBS
from governor.chaos.processes import Program
from governor.chaos.settled import ENVIRONMENT, settle
from governor.chaos.waiting import until
from governor.cli import programs
from governor.cli.twin import TwinControl
from governor.cli.up.announcement import answers
from governor.ports.provider import EVENT_TYPES

_HURRIED: Final = {
    "database_pool": 8,
    "facts_max_age_seconds": 5,
    "calls_per_minute": 0,
    "events_poll_seconds": 20,
    "refunds_sweep_seconds": 60,
}
"""Settings with which minutes meet what usually takes hours."""

BACKGROUND: Final = {"worker-1": "worker", "worker-2": "worker", "relay": "relay", "cron": "cron"}


@dataclass
class Stage:
    """Everything, running. `postgres` and `redis` are None where a URL was given: those are not ours to hit."""

    app: Application
    folder: Path
    clock: Path
    postgres: EmbeddedPostgres | None
    redis: EmbeddedRedis | None
    redis_url: str
    twin: TwinControl
    twin_url: str
    programs: dict[str, Program]
    ports: tuple[int, ...]
    keys: Mapping[str, str]
    payments: tuple[tuple[str, str], ...]
    """Payment and currency."""

    def logs(self) -> str:
        """What all programs have said."""
        return "\n".join(program.said() for program in self.programs.values())


@dataclass(frozen=True)
class Place:
    """Where a storm takes place. Without URLs it starts servers of its own."""

    folder: Path
    database_url: str | None = None
    redis_url: str | None = None
    payments: int = 100


@contextmanager
def stage(place: Place, seed: int) -> Iterator[Stage]:
    """Set it up, wait until everything is at work, and in the end leave nothing running.

    Call it from the main thread. Raises what servers and programs raise that cannot be used or do not start.
    """
    with ExitStack() as stack:
        postgres, database_url = stack.enter_context(servers.database(place.folder, place.database_url))
        redis, redis_url = stack.enter_context(servers.queue(place.folder, place.redis_url))
        running: dict[str, Program] = {}
        stack.callback(_stop, running)
        twin_url = _start_twin(running, place.folder)
        twin = stack.enter_context(TwinControl(twin_url))
        listeners = [_listener(stack) for _ in WEBS]
        clock = place.folder / "clock"
        secrets = _order_webhooks(twin, listeners)
        made = settings(
            database_url, redis_url, provider_url=twin_url, dev_clock=clock, **_HURRIED, **secrets
        )
        app = build(made)
        stack.callback(app.engine.dispose)
        keys, payments = settle(app, twin, place.payments, Random(f"{seed}/world"))  # noqa: S311  drawn again from a seed
        _start_governor(running, as_variables(made), place.folder, listeners)
        ports = tuple(map(_port, listeners))
        yield Stage(
            app,
            place.folder,
            clock,
            postgres,
            redis,
            redis_url,
            twin,
            twin_url,
            running,
            ports,
            keys,
            payments,
        )


def _start_twin(running: dict[str, Program], folder: Path) -> str:
    """The provider twin; returns its address."""
    port = free_port()
    twin = running[PROVIDER] = _program(PROVIDER, programs.sandbox(port, folder / "twin.state"), {}, folder)
    twin.start()
    url = f"http://{programs.LOOPBACK}:{port}"
    until(lambda: answers(f"{url}/_sandbox/health"), twin.said)
    return url


def _listener(stack: ExitStack) -> socket.socket:
    """The socket of a web process: it stays ours while those come and go, so that nobody else gets its port."""
    listener = stack.enter_context(socket.create_server((programs.LOOPBACK, 0)))
    listener.set_inheritable(True)
    return listener


def _port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def _order_webhooks(twin: TwinControl, listeners: Sequence[socket.socket]) -> dict[str, str]:
    """Every event is brought to each web process, under a secret of its own; returns the setting for that."""
    addresses = [
        f"http://{programs.LOOPBACK}:{_port(one)}/webhooks/stripe/{ENVIRONMENT}" for one in listeners
    ]
    secrets = [twin.bring_events(STRIPE_KEY, address, ENVIRONMENT, EVENT_TYPES) for address in addresses]
    return {"webhook_secrets": json.dumps({ENVIRONMENT: secrets})}


def _start_governor(
    running: dict[str, Program],
    variables: Mapping[str, str],
    folder: Path,
    listeners: Sequence[socket.socket],
) -> None:
    """All of governor's processes; back when all of them are at work."""
    for name, listener in zip(WEBS, listeners, strict=True):
        argv = programs.web(f"fd://{listener.fileno()}")
        one = {**variables, "GOVERNOR_WEB_WORKERS": "1"}
        running[name] = _program(name, argv, one, folder, listener.fileno())
    for name, role in BACKGROUND.items():
        running[name] = _program(name, programs.background(role), variables, folder)
    for name in (*WEBS, *BACKGROUND):
        running[name].start()
    for port in map(_port, listeners):
        until(lambda port=port: answers(f"http://{programs.LOOPBACK}:{port}/readyz"), str)  # type: ignore[misc]  # mypy infers no type for a lambda's default
    for name, role in BACKGROUND.items():
        program = running[name]
        until(lambda program=program, role=role: f"{role}.started" in program.said(), program.said)  # type: ignore[misc]  # the same


def _program(
    name: str, argv: tuple[str, ...], variables: Mapping[str, str], folder: Path, *keep_open: int
) -> Program:
    unbuffered = {"PYTHONUNBUFFERED": "1"}
    return Program(argv, {**variables, **unbuffered}, folder / f"{name}.log", keep_open)


def _stop(running: Mapping[str, Program]) -> None:
    """Everybody wakes up and is asked to stop, those behind the twin first."""
    for program in running.values():
        program.go_on()
    for some in ([one for name, one in running.items() if name != PROVIDER], [running[PROVIDER]]):
        for program in some:
            program.ask_to_stop()
        for program in some:
            program.stop()


def move_clock(clock: Path, seconds: int) -> None:
    """Move governor's time forward by so many seconds, at once for everybody who looks."""
    standing = int(clock.read_text(encoding="ascii")) if clock.exists() else 0
    draft = clock.with_suffix(f".{os.getpid()}")
    draft.write_text(str(standing + seconds), encoding="ascii")
    draft.replace(clock)
