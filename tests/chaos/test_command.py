"""`governor chaos` as a person runs it: a short storm, somebody else's servers, and an interruption."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
import redis

from adapters.embedded.postgres import EmbeddedPostgres
from governor.chaos.plan import Blow
from governor.chaos.waiting import until
from tests.servers import libpq

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 900
"""A storm is a minute or two of work on a quiet machine. This one may have other things to do."""


@contextmanager
def chaos(*options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "governor.cli.main", "chaos", *options]
    process = subprocess.Popen(
        command,
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def played(*options: str) -> tuple[int, dict[str, Any], str]:
    """Exit status, report and what was said meanwhile."""
    with chaos(*options, "--json") as process:
        out, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert out, said
    return process.returncode, json.loads(out), said


def databases(server: EmbeddedPostgres) -> set[str]:
    with psycopg.connect(libpq(server.url("postgres"))) as session:
        return {name for (name,) in session.execute("SELECT datname FROM pg_database")}


def test_a_short_storm_loses_nothing_and_refunds_nothing_twice() -> None:
    status, report, said = played("--minutes", "0.4", "--seed", "3")
    assert said.splitlines()[0].endswith("seed 3")
    promises = ("lost", "double", "unexplained", "broken", "over", "unresolved", "missed", "fsck")
    assert {name: report[name] for name in promises} == {
        **dict.fromkeys(promises[:-1], 0),
        "fsck": "clean",
    }, report["findings"]
    assert status == 0
    assert report["requests"] >= 10
    assert report["kills"] >= 5
    assert report["faults"] >= 10
    assert {Blow.KILL, Blow.KILL_DATABASE, Blow.PAUSE, Blow.PROVIDER_FAULT} <= set(report["blows"])
    assert report["marks"]["requests_succeeded"] > 0


def test_servers_that_are_somebody_elses_are_used_and_never_hit(
    postgres_server: EmbeddedPostgres, redis_url: str
) -> None:
    before, pids = databases(postgres_server), postgres_server.pid
    plain = libpq(postgres_server.url("postgres"))
    status, report, _ = played(
        "--minutes", "0.1", "--seed", "5", "--database-url", plain, "--redis-url", redis_url
    )
    assert (status, report["fsck"]) == (0, "clean"), report["findings"]
    assert not {Blow.KILL_DATABASE, Blow.KILL_SESSION, Blow.KILL_QUEUE} & set(report["blows"])
    assert (databases(postgres_server), postgres_server.pid) == (before, pids)
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--minutes", "0"),
        ("--minutes", "soon"),
        ("--seed", "-1"),
        ("--database-url", "postgresql://nobody@127.0.0.1:1/nothing"),
        ("--redis-url", "redis://127.0.0.1:1/0"),
        ("--logs", "tests"),
    ],
)
def test_an_option_that_cannot_be_used_is_a_usage_error(options: tuple[str, ...]) -> None:
    with chaos(*options) as process:
        _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, "Usage:" in said) == (2, True), said


def test_a_queue_with_somebodys_data_in_it_is_refused_and_kept(
    postgres_server: EmbeddedPostgres, redis_url: str
) -> None:
    before = databases(postgres_server)
    with redis.Redis.from_url(redis_url) as client:
        client.set("somebody's", "data")
        with chaos("--database-url", postgres_server.url("postgres"), "--redis-url", redis_url) as process:
            _, said = process.communicate(timeout=PATIENCE_SECONDS)
        assert (process.returncode, "not empty" in said) == (2, True), said
        assert client.get("somebody's") == b"data"
    assert databases(postgres_server) == before


def test_a_role_that_may_not_make_a_database_is_a_usage_error(postgres_server: EmbeddedPostgres) -> None:
    execute_as_superuser(postgres_server, "CREATE ROLE modest LOGIN PASSWORD 'modest'")
    try:
        url = f"postgresql://modest:modest@{postgres_server.url('postgres').partition('@')[2]}"
        with chaos("--database-url", url) as process:
            _, said = process.communicate(timeout=PATIENCE_SECONDS)
        assert (process.returncode, "permission denied" in said) == (2, True), said
    finally:
        execute_as_superuser(postgres_server, "DROP ROLE modest")


def execute_as_superuser(server: EmbeddedPostgres, statement: str) -> None:
    with psycopg.connect(libpq(server.superuser_url()), autocommit=True) as session:
        session.execute(statement.encode())


def test_a_storm_that_is_interrupted_leaves_nothing_running(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    with chaos("--minutes", "30", "--seed", "1", "--logs", str(logs)) as process:
        said: list[str] = []
        assert process.stderr is not None
        reader = threading.Thread(target=lambda: said.extend(iter(process.stderr.readline, "")))  # type: ignore[union-attr]  # it is a pipe
        reader.start()
        until(lambda: any(line.endswith("storm\n") for line in said), lambda: "".join(said))
        started = [child.pid for child in psutil.Process(process.pid).children()]
        assert len(started) > 5
        os.kill(process.pid, signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
        reader.join()
    assert process.returncode == 1
    until(lambda: not [one for one in started if psutil.pid_exists(one)], lambda: str(started))
