"""Real servers for tests: started once per session, with a fresh database and an empty Redis for each test."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import redis

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from tests.stack import eventually

TEMPLATE = "template_migrated"
_numbers = count(1)


@contextmanager
def running_postgres(folder: Path) -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL server without fsync, stopped at the end."""
    server = EmbeddedPostgres(folder, fsync=False)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def running_redis(folder: Path) -> Iterator[EmbeddedRedis]:
    """A Redis-protocol server, stopped at the end."""
    server = EmbeddedRedis(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def make_template(server: EmbeddedPostgres) -> str:
    """A database with every migration applied; returns its name."""
    from adapters.sql.migrate import upgrade  # noqa: PLC0415 - tests of the servers alone need no migrations

    execute(server, f'CREATE DATABASE "{TEMPLATE}"')
    upgrade(server.url(TEMPLATE))
    return TEMPLATE


@contextmanager
def fresh_database(server: EmbeddedPostgres, template: str) -> Iterator[str]:
    """The URL of a copy of ``template`` that nobody else uses; dropped at the end, open sessions or not."""
    name = f"test_{next(_numbers)}"
    # Whole files, which takes the server a third of the time that writing each page to its log first does.
    execute(server, f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY file_copy')
    try:
        yield server.url(name)
    finally:
        # As the superuser: an autovacuum worker may be in there, and the application may not end that one.
        with psycopg.connect(libpq(server.superuser_url()), autocommit=True) as session:
            session.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def crash(server: EmbeddedPostgres | EmbeddedRedis) -> None:
    """SIGKILL, and back when the process is gone."""
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: server.pid is None, lambda: f"process {pid} outlived SIGKILL")


@contextmanager
def empty_redis(server: EmbeddedRedis) -> Iterator[str]:
    """The server's URL; everything in it is gone afterwards."""
    try:
        yield server.url
    finally:
        with redis.Redis.from_url(server.url) as client:
            client.flushall()


def libpq(url: str) -> str:
    """SQLAlchemy's URL as psycopg and libpq write it."""
    return url.replace("postgresql+psycopg://", "postgresql://")


def execute(server: EmbeddedPostgres, statement: str) -> None:
    """Runs one statement outside any transaction, as the application's role."""
    with psycopg.connect(libpq(server.url("postgres")), autocommit=True) as session:
        session.execute(statement.encode())
