"""A second PostgreSQL that follows the first, and takes its place.

with pair_of_servers(seed, folder) as pair:
    pair.follow(synchronously=True)
    pair.standby.stop()                 # commits wait now
    pair.promote()                      # the standby is a primary of its own, on the next timeline
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from adapters.embedded.binaries import find_postgres
from adapters.embedded.identity import identity_for
from adapters.embedded.postgres import ROLE, EmbeddedPostgres
from adapters.embedded.server_process import tied_to_us
from tests.servers import libpq
from tests.stack import eventually


def asked(server: EmbeddedPostgres, statement: str) -> list[tuple[object, ...]]:
    """The rows of one statement, run by the superuser outside any transaction."""
    with psycopg.connect(libpq(server.superuser_url()), autocommit=True) as session:
        return session.execute(statement.encode()).fetchall()


def order(server: EmbeddedPostgres, statement: str) -> None:
    """One statement of the superuser, outside any transaction."""
    with psycopg.connect(libpq(server.superuser_url()), autocommit=True) as session:
        session.execute(statement.encode())


def copy_of(server: EmbeddedPostgres, folder: Path, *, follows: bool) -> EmbeddedPostgres:
    """A server with all data of this one, not started yet; it goes its own way, or follows and takes no writes."""
    copy = EmbeddedPostgres(folder, fsync=False)
    url = make_url(server.superuser_url())
    (folder / "password").touch(mode=0o600)
    (folder / "password").write_text(str(url.password), encoding="ascii")
    unfinished = folder / "unfinished"
    unfinished.mkdir(mode=0o700)
    identity = identity_for(find_postgres().path, unfinished)
    identity.give(unfinished)
    argv = [str(find_postgres().path.with_name("pg_basebackup")), "--pgdata", str(unfinished), "--no-sync"]
    argv += [
        "--checkpoint",
        "fast",
        "--wal-method",
        "stream",
        *(["--write-recovery-conf"] if follows else []),
    ]
    argv += ["--host", str(url.host), "--port", str(url.port), "--username", str(url.username)]
    subprocess.run(
        tied_to_us(argv, signal.SIGKILL, identity),
        env=os.environ | {"PGPASSWORD": str(url.password)},
        check=True,
        cwd="/",
    )
    unfinished.rename(folder / "data")
    return copy


@dataclass
class Pair:
    """Two servers, of which the second follows the first."""

    primary: EmbeddedPostgres
    standby: EmbeddedPostgres

    def url(self, database: str) -> str:
        """One URL for both, as SQLAlchemy and libpq read it: whoever of the two takes writes is connected to."""
        one, other = (make_url(server.url(database)) for server in (self.primary, self.standby))
        both = f"host={one.host},{other.host}&port={one.port},{other.port}&target_session_attrs=read-write"
        return f"{one.drivername}://{one.username}:{one.password}@/{one.database}?{both}"

    def follow(self, *, synchronously: bool) -> None:
        """From now on commits wait for the standby, or do not; back when it is so."""
        names = "*" if synchronously else ""
        order(self.primary, f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        order(self.primary, "SELECT pg_reload_conf()")
        wanted = "sync" if synchronously else "async"
        eventually(
            lambda: (wanted,) in asked(self.primary, "SELECT sync_state FROM pg_stat_replication"),
            lambda: f"the standby does not follow: {wanted}",
        )

    def promote(self) -> None:
        """The standby takes writes; back when it does."""
        order(self.standby, "SELECT pg_promote(wait => true)")


@contextmanager
def mortal_server(seed: EmbeddedPostgres, folder: Path) -> Iterator[EmbeddedPostgres]:
    """A copy of a running server that keeps what it has acknowledged when it is killed; stopped at the end."""
    server = copy_of(seed, folder, follows=False)
    server.start()
    try:
        # A server for tests confirms before it writes; what a role is told comes before what its server is told.
        order(server, f"ALTER ROLE {ROLE} SET synchronous_commit = on")
        yield server
    finally:
        server.stop()


@contextmanager
def pair_of_servers(seed: EmbeddedPostgres, folder: Path) -> Iterator[Pair]:
    """A copy of a running server, and a standby of it; stopped at the end, whatever became of them."""
    with mortal_server(seed, folder / "primary") as primary:
        standby = copy_of(primary, folder / "standby", follows=True)
        standby.start()
        try:
            yield Pair(primary, standby)
        finally:
            standby.stop()
