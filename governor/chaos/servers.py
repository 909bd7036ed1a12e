"""The database and the queue of a storm: its own servers, or room of its own on servers that were named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import exc

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from adapters.sql.migrate import upgrade
from governor.bench.world import second_database


@contextmanager
def database(folder: Path, beside: str | None) -> Iterator[tuple[EmbeddedPostgres | None, str]]:
    """A migrated database of our own: on a server of our own, or beside the named one, and gone afterwards.

    Raises:
        click.UsageError: the named server cannot be reached, or its role may not create databases.
    """
    if beside is None:
        # A server that is killed loses nothing without fsync, only a machine does; and it is back in a second.
        server = EmbeddedPostgres(folder / "postgres", fsync=False)
        server.start()
        try:
            upgrade(server.url())
            yield server, server.url()
        finally:
            server.stop()
        return
    with ExitStack() as stack:
        with _refusing_in_words():
            made = second_database(_driver(beside), f"governor_chaos_{os.getpid()}")
            url = stack.enter_context(made)
        yield None, url


@contextmanager
def _refusing_in_words() -> Iterator[None]:
    """A database that cannot be made is a wrong option, not a storm that failed.

    Raises:
        click.UsageError: with the server's reason.
    """
    try:
        yield
    except (exc.OperationalError, exc.ProgrammingError) as error:
        why = str(error.orig).strip().splitlines()[0]
        raise click.UsageError(
            f"--database-url: the storm works in a database of its own and cannot make one there: {why}"
        ) from None


def _driver(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in {"postgres", "postgresql"} else url


@contextmanager
def queue(folder: Path, named: str | None) -> Iterator[tuple[EmbeddedRedis | None, str]]:
    """A server of our own, or a named one whose database is empty: it will be emptied again and again.

    Raises:
        click.UsageError: somebody's data are there, or nobody answers.
    """
    if named is None:
        server = EmbeddedRedis(folder / "redis")
        server.start()
        try:
            yield server, server.url
        finally:
            server.stop()
        return
    with Redis.from_url(named, socket_timeout=5) as connection:
        try:
            taken = bool(connection.dbsize())
        except RedisError as error:
            raise click.UsageError(f"--redis-url: {error}") from None
        if taken:
            raise click.UsageError("--redis-url: that database is not empty, and the storm would empty it")
        try:
            yield None, named
        finally:
            connection.flushdb()
