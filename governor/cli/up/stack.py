"""What `governor up` consists of: which servers and programs, with which environment, stopped in which order."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.server_process import free_port
from adapters.embedded.valkey import EmbeddedRedis
from governor.cli import programs
from governor.cli.up.children import Program, ProgramChild, ServerChild
from governor.cli.up.data_folder import Addresses, DataFolder

# The twin takes any test key, each being an account of its own; this one says what it is for.
SANDBOX_KEY: Final = "sk_test_sandbox_governor"

# Lines appear when they are written, not when a buffer is full.
_UNBUFFERED: Final = {"PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True)
class Options:
    """What the command line says; see ``governor up --help``."""

    data: Path
    port: int
    workers: int
    database_url: str | None
    redis_url: str | None
    demo: bool
    ready_file: Path | None


class Stack:
    """The parts, each with its address; nothing is started here."""

    def __init__(self, options: Options, folder: DataFolder) -> None:
        self._options = options
        self._folder = folder
        self._postgres = None if options.database_url else EmbeddedPostgres(folder.postgres)
        self._redis = None if options.redis_url else EmbeddedRedis(folder.redis)
        self._sandbox_port = free_port()
        self._web_address = f"{programs.LOOPBACK}:{options.port or free_port()}"
        self.url = f"http://{self._web_address}"
        self.sandbox_url = f"http://{programs.LOOPBACK}:{self._sandbox_port}"

    @property
    def database_url(self) -> str:
        """The database in SQLAlchemy's form; known once the embedded server has started."""
        if self._postgres is not None:
            return self._postgres.url()
        scheme, _, rest = str(self._options.database_url).partition("://")
        return (
            f"postgresql+psycopg://{rest}" if scheme in {"postgres", "postgresql"} else f"{scheme}://{rest}"
        )

    @property
    def redis_url(self) -> str:
        """The Redis; known once the embedded server has started."""
        return self._redis.url if self._redis is not None else str(self._options.redis_url)

    @property
    def database_name(self) -> str:
        """Which database this is, without secrets: what the demo keys are kept for."""
        if self._postgres is not None:
            return "embedded"
        url = urlsplit(str(self._options.database_url))
        return f"{url.hostname}:{url.port}{url.path}"

    def addresses(self) -> Addresses:
        """All addresses; known once the servers have started."""
        return Addresses(
            url=self.url,
            sandbox_url=self.sandbox_url,
            database_url=self.database_url,
            redis_url=self.redis_url,
            embedded_database=self._postgres is not None,
        )

    def servers(self) -> list[ServerChild]:
        """The embedded servers, as far as no other is named."""
        servers = []
        if self._postgres is not None:
            servers.append(ServerChild("postgres", self._postgres, signal.SIGINT))
        if self._redis is not None:
            servers.append(ServerChild("redis", self._redis, signal.SIGTERM))
        return servers

    def sandbox(self) -> ProgramChild:
        """The provider twin. It is told nothing of governor: it is no part of it, and needs none of its secrets."""
        argv = programs.sandbox(self._sandbox_port, self._folder.sandbox_state)
        return ProgramChild(Program("sandbox", argv, os.environ | _UNBUFFERED))

    def prepare(self) -> ProgramChild:
        """Migrations, demo data, and webhooks."""
        demo = ("--demo", self.database_name) if self._options.demo else ()
        return self._child("prepare", (*programs.prepare(self.url), *demo))

    def governor(self) -> list[ProgramChild]:
        """governor itself."""  # noqa: D403 - the name is written so
        background = ["relay", *self._workers(), "runner", "cron", "messenger"]
        processes = [self._child(name, programs.background(name.split("-")[0])) for name in background]
        return [self._child("web", programs.web(self._web_address)), *processes]

    def stop_stages(self) -> list[tuple[list[str], float]]:
        """Who stops after whom, and in how many seconds: nine in all, so that Ctrl-C is done within ten.

        First nothing new comes in, then what is under way ends, then what it needs.
        """
        behind = ["relay", *self._workers(), "runner", "cron", "messenger"]
        return [(["web"], 2.5), (behind, 3.0), (["sandbox"], 1.0), (["redis"], 1.0), (["postgres"], 1.5)]

    def _workers(self) -> list[str]:
        """The names of the worker processes."""
        return [f"worker-{number}" for number in range(1, self._options.workers + 1)]

    def _child(self, name: str, argv: tuple[str, ...]) -> ProgramChild:
        """A program with the environment all of them share."""
        return ProgramChild(Program(name, argv, os.environ | self._environment()))

    def _environment(self) -> dict[str, str]:
        """What governor's processes are told."""
        ours = {"GOVERNOR_DATA": str(self._folder.path), **_UNBUFFERED}
        return ours | settings_on(self._folder, self.addresses())


def settings_on(folder: DataFolder, addresses: Addresses) -> dict[str, str]:
    """What governor's settings read, in every process that works on a data folder."""
    return {
        "GOVERNOR_DATABASE_URL": addresses.database_url,
        "GOVERNOR_REDIS_URL": addresses.redis_url,
        "GOVERNOR_PROVIDER_URL": addresses.sandbox_url,
        "GOVERNOR_STRIPE_KEY": SANDBOX_KEY,
        "GOVERNOR_PEPPER": folder.pepper(),
        "GOVERNOR_WEBHOOK_SECRETS_FILE": str(folder.webhook_secrets),
        # What is tried here is tried against this machine.
        "GOVERNOR_LOOPBACK_ENDPOINTS": "true",
        "GOVERNOR_PUBLIC_URL": addresses.url,
        # The twin has no budget of reads: what its webhooks do not tell is seen within seconds.
        "GOVERNOR_EVENTS_POLL_SECONDS": "15",
        "GOVERNOR_REFUNDS_SWEEP_SECONDS": "60",
    }
