import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from adapters.embedded.folder_lock import FolderInUseError
from adapters.embedded.server_process import ServerDidNotStartError
from adapters.embedded.valkey import EmbeddedRedis
from tests.servers import crash
from tests.stack import PATIENCE_SECONDS


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(tmp_path / "redis")
    server.start()
    yield server
    server.stop()


def test_every_acknowledged_job_survives_a_killed_server(server: EmbeddedRedis) -> None:
    url = server.url
    acknowledged = 0
    with suppress(redis.ConnectionError), redis.Redis.from_url(url) as client:
        while True:
            client.rpush("jobs", acknowledged)
            acknowledged += 1
            if acknowledged == 500:
                crash(server)
    server.start()
    assert server.url == url
    with redis.Redis.from_url(url) as client:
        assert client.llen("jobs") in (acknowledged, acknowledged + 1)


def test_nothing_is_evicted_and_everything_is_logged(server: EmbeddedRedis) -> None:
    with redis.Redis.from_url(server.url) as client:
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert client.config_get("appendonly") == {"appendonly": "yes"}


def test_nobody_without_the_password_is_served(server: EmbeddedRedis) -> None:
    with (
        redis.Redis(
            host="127.0.0.1", port=urlsplit(server.url).port or 0, retry=Retry(NoBackoff(), 0)
        ) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


def test_the_password_is_in_no_command_line_and_in_no_readable_file(
    server: EmbeddedRedis, tmp_path: Path
) -> None:
    password = urlsplit(server.url).password
    assert password
    assert server.pid is not None
    assert password not in " ".join(psutil.Process(server.pid).cmdline())
    for path in (tmp_path / "redis").iterdir():
        if path.is_file() and password.encode() in path.read_bytes():
            assert path.stat().st_mode & 0o077 == 0


def test_a_second_server_on_a_folder_is_refused(
    server: EmbeddedRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.embedded.valkey._PREDECESSOR_SECONDS", 0.1)
    with pytest.raises(FolderInUseError, match="in use by another process"):
        EmbeddedRedis(tmp_path / "redis").start()
    with redis.Redis.from_url(server.url) as client:
        assert client.ping() is True


def test_it_dies_with_its_starter_and_the_next_start_finds_its_data(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from adapters.embedded.valkey import EmbeddedRedis\n"
        "import redis; server = EmbeddedRedis(Path(sys.argv[1])); server.start()\n"
        "redis.Redis.from_url(server.url).set('kept', 'yes'); print(server.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path / "redis"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as starter:
        assert starter.stdout is not None
        orphan = psutil.Process(int(starter.stdout.readline()))
        starter.kill()
    orphan.wait(PATIENCE_SECONDS)
    server = EmbeddedRedis(tmp_path / "redis")
    server.start()
    try:
        with redis.Redis.from_url(server.url) as client:
            assert client.get("kept") == b"yes"
    finally:
        server.stop()


def test_a_server_that_cannot_start_shows_its_log_and_frees_the_folder(
    server: EmbeddedRedis, tmp_path: Path
) -> None:
    server.stop()
    manifest = next((tmp_path / "redis" / "appendonlydir").glob("*.manifest"))
    manifest.write_text("not a manifest\n")
    for _ in range(2):
        with pytest.raises(ServerDidNotStartError, match="ended at once"):
            server.start()
