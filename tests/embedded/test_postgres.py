import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from adapters.embedded.folder_lock import FolderInUseError
from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.server_process import ServerDidNotStartError
from tests.servers import crash, libpq
from tests.stack import PATIENCE_SECONDS


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tmp_path / "pg")
    server.start()
    yield server
    server.stop()


def _session(server: EmbeddedPostgres) -> "psycopg.Connection[tuple[object, ...]]":
    return psycopg.connect(libpq(server.url()), autocommit=True)


def test_it_answers_as_an_ordinary_role_that_owns_its_database(postgres_server: EmbeddedPostgres) -> None:
    with _session(postgres_server) as session:
        row = session.execute(
            "SELECT rolname, rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        )
        assert row.fetchone() == ("governor", False, True)


def test_commits_are_durable_unless_a_test_says_otherwise(server: EmbeddedPostgres, tmp_path: Path) -> None:
    with _session(server) as session:
        assert session.execute("SHOW fsync").fetchone() == ("on",)
        assert session.execute("SHOW synchronous_commit").fetchone() == ("on",)
    quick = EmbeddedPostgres(tmp_path / "quick", fsync=False)
    quick.start()
    try:
        with _session(quick) as session:
            assert session.execute("SHOW fsync").fetchone() == ("off",)
    finally:
        quick.stop()


def test_a_wrong_password_is_refused(postgres_server: EmbeddedPostgres) -> None:
    url = libpq(postgres_server.url())
    password = url.split(":")[2].split("@")[0]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url.replace(password, "guess"))


def test_the_password_is_readable_by_its_owner_only(server: EmbeddedPostgres, tmp_path: Path) -> None:
    assert server.pid is not None
    assert (tmp_path / "pg" / "password").stat().st_mode & 0o077 == 0
    assert (tmp_path / "pg" / "data").stat().st_mode & 0o077 == 0


def test_every_acknowledged_commit_survives_a_killed_postmaster(server: EmbeddedPostgres) -> None:
    _survives_a_killed_postmaster(server)


def test_without_fsync_only_a_crash_of_the_machine_loses_commits(tmp_path: Path) -> None:
    quick = EmbeddedPostgres(tmp_path / "quick", fsync=False)
    quick.start()
    try:
        for _ in range(3):
            _survives_a_killed_postmaster(quick)
    finally:
        quick.stop()


def _survives_a_killed_postmaster(server: EmbeddedPostgres) -> None:
    url = server.url()
    with _session(server) as session:
        session.execute("DROP TABLE IF EXISTS kept")
        session.execute("CREATE TABLE kept (n integer)")
    acknowledged = 0
    with suppress(psycopg.OperationalError), _session(server) as session:
        while True:
            session.execute("INSERT INTO kept VALUES (%s)", [acknowledged])
            acknowledged += 1
            if acknowledged == 200:
                crash(server)
    assert acknowledged >= 200
    server.start()
    assert server.url() == url
    with _session(server) as session:
        row = session.execute("SELECT count(*) FROM kept").fetchone()
    assert row is not None
    # One more may have been written before its acknowledgement was lost.
    assert row[0] in (acknowledged, acknowledged + 1)


def test_data_outlives_a_restart(server: EmbeddedPostgres, tmp_path: Path) -> None:
    with _session(server) as session:
        session.execute("CREATE TABLE kept AS SELECT 7 AS n")
    server.stop()
    assert server.pid is None
    again = EmbeddedPostgres(tmp_path / "pg")
    again.start()
    try:
        with _session(again) as session:
            assert session.execute("SELECT n FROM kept").fetchone() == (7,)
    finally:
        again.stop()


def test_a_second_server_on_a_folder_is_refused(
    server: EmbeddedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.embedded.postgres._PREDECESSOR_SECONDS", 0.1)
    with pytest.raises(FolderInUseError):
        EmbeddedPostgres(tmp_path / "pg").start()
    with _session(server) as session:
        assert session.execute("SELECT 1").fetchone() == (1,)


def test_data_of_another_major_version_is_refused_in_words(server: EmbeddedPostgres, tmp_path: Path) -> None:
    server.stop()
    (tmp_path / "pg" / "data" / "PG_VERSION").write_text("9\n")
    with pytest.raises(ServerDidNotStartError, match="was made by PostgreSQL 9"):
        server.start()


def test_a_server_that_cannot_start_shows_its_log(
    server: EmbeddedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.stop()
    monkeypatch.setattr("adapters.embedded.postgres._PREDECESSOR_SECONDS", 0.1)
    (tmp_path / "pg" / "data" / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(ServerDidNotStartError, match="no_such_setting"):
        server.start()


def test_an_unfinished_initdb_leaves_nothing_that_looks_like_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.embedded.postgres._SUPERUSER", "pg_reserved")
    server = EmbeddedPostgres(tmp_path / "pg")
    with pytest.raises(ServerDidNotStartError, match="initdb failed"):
        server.start()
    assert sorted(path.name for path in (tmp_path / "pg").iterdir()) == ["lock", "password"]


def test_it_dies_with_its_starter_and_the_next_start_finds_its_data(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from adapters.embedded.postgres import EmbeddedPostgres\n"
        "server = EmbeddedPostgres(Path(sys.argv[1])); server.start(); print(server.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path / "pg"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as starter:
        assert starter.stdout is not None
        orphan = psutil.Process(int(starter.stdout.readline()))
        starter.kill()
    orphan.wait(PATIENCE_SECONDS)
    server = EmbeddedPostgres(tmp_path / "pg")
    server.start()
    try:
        assert server.pid != orphan.pid
    finally:
        server.stop()


def test_stopping_twice_and_starting_twice_do_nothing(server: EmbeddedPostgres) -> None:
    pid = server.pid
    server.start()
    assert server.pid == pid
    server.stop()
    server.stop()
    assert server.pid is None
