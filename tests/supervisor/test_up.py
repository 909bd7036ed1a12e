import os
import re
import signal
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import redis

from tests.servers import libpq
from tests.stack import PATIENCE_SECONDS
from tests.supervisor.running import RunningUp, alive, command_of, eventually, running_up

NAMES = ["postgres", "redis", "sandbox", "web", "relay", "worker-1", "runner", "cron", "messenger"]


def _status(url: str, path: str) -> int:
    parts = urlsplit(url)
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_everything_answers_when_the_ready_file_is_there_and_is_gone_when_it_stopped(tmp_path: Path) -> None:
    with running_up(tmp_path / "data") as up:
        ready = up.ready()
        assert _status(ready["url"], "/readyz") == 200
        assert _status(ready["sandbox_url"], "/_sandbox/health") == 200
        with psycopg.connect(libpq(ready["database_url"])) as session:
            assert session.execute("SELECT count(*) > 0 FROM alembic_version").fetchone() == (True,)
        with redis.Redis.from_url(ready["redis_url"]) as client:
            assert client.ping() is True
        assert (ready["environment"], ready["keys"], ready["payments"]) == ("test", {}, [])
        family = up.family()
        up.stop(signal.SIGINT)
        assert up.process.returncode == 0
        assert alive(family) == []
        for name in NAMES:
            assert f"{name:<9}| stopped" in up.said


def test_each_line_says_when_who_and_what(tmp_path: Path) -> None:
    with running_up(tmp_path / "data") as up:
        up.ready()
        eventually(lambda: "cron     | cron works\n" in up.said, up)
        lines = [line for line in up.said.splitlines() if "|" in line]
    for line in lines:
        assert re.match(r"\d\d:\d\d:\d\d [a-z0-9-]+ *\| ", line), line


def test_the_ready_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    with running_up(tmp_path / "data") as up:
        up.ready()
        for secret in (up.ready_file, tmp_path / "data" / "pepper"):
            assert secret.stat().st_mode & 0o077 == 0


def test_whoever_dies_is_started_again_where_it_was(tmp_path: Path) -> None:
    with running_up(tmp_path / "data") as up:
        ready = up.ready()
        dead = {name: up.pid_of(name) for name in NAMES}
        for pid in dead.values():
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: all(up.pid_of(name) != dead[name] for name in NAMES), up)
        assert "died (killed by SIGKILL); starting again in 0.1 s" in up.said
        eventually(lambda: _answers(ready["url"], "/readyz"), up)
        eventually(lambda: _answers(ready["sandbox_url"], "/_sandbox/health"), up)
        with psycopg.connect(libpq(ready["database_url"])) as session:
            assert session.execute("SELECT 1").fetchone() == (1,)
        with redis.Redis.from_url(ready["redis_url"]) as client:
            assert client.ping() is True


def _answers(url: str, path: str) -> bool:
    try:
        return _status(url, path) == 200
    except OSError:
        return False


def test_what_a_dead_child_left_behind_is_ended(tmp_path: Path) -> None:
    with running_up(tmp_path / "data", SMALL_PARENT="worker") as up:
        up.ready()
        worker = psutil.Process(up.pid_of("worker-1"))
        eventually(lambda: bool(worker.children()), up)
        left = worker.children()
        worker.kill()
        eventually(lambda: alive(left) == [], up)


def test_a_child_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    with running_up(tmp_path / "data", SMALL_STUBBORN="cron") as up:
        up.ready()
        family = up.family()
        up.stop()
        assert alive(family) == []


def test_a_second_up_on_the_same_folder_says_so_and_leaves_the_first_alone(tmp_path: Path) -> None:
    with running_up(tmp_path / "data") as up:
        ready = up.ready()
        second = RunningUp(tmp_path / "data")
        assert second.process.wait(PATIENCE_SECONDS) == 3
        assert f"{tmp_path / 'data'} is in use" in second.said
        assert _status(ready["url"], "/readyz") == 200
        assert up.ready() == ready


def test_a_killed_supervisor_leaves_no_orphan_and_loses_nothing(tmp_path: Path) -> None:
    with running_up(tmp_path / "data", SMALL_STUBBORN="relay", SMALL_PARENT="worker") as up:
        ready = up.ready()
        with psycopg.connect(libpq(ready["database_url"])) as session:
            session.execute("CREATE TABLE kept AS SELECT 7 AS n")
        with redis.Redis.from_url(ready["redis_url"]) as client:
            client.set("kept", "yes")
        family = up.family()
        os.kill(up.process.pid, signal.SIGKILL)
        up.process.wait(PATIENCE_SECONDS)
        with running_up(tmp_path / "data") as again:
            ready = again.ready()
            assert alive(family) == []
            with psycopg.connect(libpq(ready["database_url"])) as session:
                assert session.execute("SELECT n FROM kept").fetchone() == (7,)
            with redis.Redis.from_url(ready["redis_url"]) as client:
                assert client.get("kept") == b"yes"


def test_a_killed_guard_is_replaced_and_its_successor_knows_everything(tmp_path: Path) -> None:
    with running_up(tmp_path / "data", SMALL_STUBBORN="relay") as up:
        up.ready()
        guard = next(process for process in up.family() if "governor.cli.up.guard" in command_of(process))
        guard.kill()
        eventually(
            lambda: any(p.pid != guard.pid and "governor.cli.up.guard" in command_of(p) for p in up.family()),
            up,
        )
        family = up.family()
        os.kill(up.process.pid, signal.SIGKILL)
        eventually(lambda: alive(family) == [], up)


def test_a_database_and_a_redis_of_ones_own_are_used_instead(
    tmp_path: Path, database_url: str, redis_url: str
) -> None:
    own = database_url.replace("postgresql+psycopg://", "postgresql://")
    with running_up(
        tmp_path / "data", "--database-url", own, "--redis-url", redis_url, "--workers", "3"
    ) as up:
        ready = up.ready()
        assert (ready["database_url"], ready["redis_url"]) == (database_url, redis_url)
        eventually(lambda: "worker-3 | worker works" in up.said, up)
        assert not any(process.name() in {"postgres", "valkey-server"} for process in up.family())


def test_what_never_becomes_ready_is_stopped_with_its_reason(tmp_path: Path) -> None:
    up = RunningUp(tmp_path / "data", "--database-url", "postgresql://nobody:x@127.0.0.1:1/none")
    assert up.process.wait(PATIENCE_SECONDS) == 1
    assert "the database could not be prepared" in up.said
    assert "prepare" in up.said


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with running_up(tmp_path / "data") as up:
        port = str(urlsplit(up.ready()["url"]).port)
        other = RunningUp(tmp_path / "other", "--port", port)
        assert other.process.wait(PATIENCE_SECONDS) == 1
        assert f"port {port} is taken" in other.said


def test_a_child_that_cannot_work_is_tried_again_ever_more_slowly(tmp_path: Path) -> None:
    with running_up(tmp_path / "data", SMALL_BROKEN="relay") as up:
        up.ready()
        eventually(lambda: "relay    | died (exit status 7); starting again in 0.4 s" in up.said, up)
        assert "relay    | relay cannot work" in up.said
