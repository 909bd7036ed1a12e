from pathlib import Path
from typing import Any

import psycopg
import redis

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from governor.domain.processes import ProcessKind
from tests.adapters.roles import MIGRATOR, PROCESSES, in_force
from tests.cli.story import ENVIRONMENT, Story
from tests.cli.telling import Told
from tests.servers import libpq


def _states(value: dict[str, Any], check: str) -> list[str]:
    return [line["state"] for line in value["checks"] if line["check"] == check]


def test_a_server_that_may_lose_commits_fails_and_all_else_is_well(here: Told, story: Story) -> None:
    """The servers of tests run without fsync: exactly what the doctor is for."""
    del story
    heard = here("doctor", "--json")
    assert heard.code == 1
    assert _states(heard.value, "durability") == ["fail", "ok", "fail"]
    for check in ("versions", "settings", "database", "migrations", "clock", "provider", "web", "secrets"):
        assert set(_states(heard.value, check)) == {"ok"}, check
    assert _states(heard.value, "queue") == ["ok", "ok", "ok"]
    assert "fsync is off: a commit may be lost" in here("doctor").text


def test_a_durable_server_passes(
    here: Told, story: Story, postgres_server: EmbeddedPostgres, tmp_path: Path
) -> None:
    del story, postgres_server
    durable = EmbeddedPostgres(tmp_path / "durable")
    durable.start()
    try:
        assert here("db", "upgrade", GOVERNOR_DATABASE_URL=durable.url()).code == 0
        heard = here("doctor", "--json", GOVERNOR_DATABASE_URL=durable.url())
        assert (heard.code, heard.value["doctor"]) == (0, "ok")
        with psycopg.connect(libpq(durable.url())) as session:
            session.execute("UPDATE alembic_version SET version_num = '0000'")
        heard = here("doctor", "--json", GOVERNOR_DATABASE_URL=durable.url())
        assert (heard.code, _states(heard.value, "migrations")) == (1, ["fail"])
    finally:
        durable.stop()


def test_a_role_that_could_change_the_trail_is_a_warning_and_one_that_cannot_is_not(
    here: Told, story: Story, postgres_server: EmbeddedPostgres, migrated_template: str
) -> None:
    del story
    assert _states(here("doctor", "--json").value, "role") == ["warn"], "the tables are its own"
    with in_force(postgres_server, migrated_template) as roles:
        for role, state in (*((name, "ok") for name in PROCESSES), (MIGRATOR, "warn")):
            heard = here("doctor", "--json", GOVERNOR_DATABASE_URL=roles.url(role))
            assert _states(heard.value, "role") == [state], role
            assert _states(heard.value, "migrations") == ["ok"], role
        heard = here("doctor", "--json", GOVERNOR_DATABASE_URL=roles.superuser)
        assert _states(heard.value, "role") == ["warn"]
        with psycopg.connect(libpq(roles.superuser)) as session:
            for grant in ("UPDATE (name) ON rules", "DELETE ON escalations", "UPDATE ON messages"):
                session.execute(f"GRANT {grant} TO governor_web")
        heard = here("doctor", GOVERNOR_DATABASE_URL=roles.url("governor_web"))
        assert "rows of escalations, messages, rules:" in heard.text


def test_a_key_of_the_trail_that_others_can_read_is_a_failure(here: Told, tmp_path: Path) -> None:
    key = tmp_path / "audit.key"
    assert here("audit", "keygen", str(key)).code == 0
    assert _states(here("doctor", "--json", GOVERNOR_AUDIT_KEY_FILE=str(key)).value, "secrets") == [
        "ok",
        "ok",
    ]
    key.chmod(0o644)
    assert _states(here("doctor", "--json", GOVERNOR_AUDIT_KEY_FILE=str(key)).value, "secrets") == [
        "ok",
        "fail",
    ]


def test_what_is_away_is_named_and_the_rest_is_looked_at_all_the_same(here: Told) -> None:
    away = {
        "GOVERNOR_DATABASE_URL": "postgresql+psycopg://nobody:hush@127.0.0.1:1/none",
        "GOVERNOR_REDIS_URL": "redis://:hush@127.0.0.1:1/0",
        "GOVERNOR_PROVIDER_URL": "http://127.0.0.1:1",
    }
    heard = here("doctor", "--json", **away)
    assert heard.code == 1
    for check in ("database", "queue", "provider"):
        assert _states(heard.value, check) == ["fail"], check
    assert _states(heard.value, "web") == ["ok"]
    assert "hush" not in heard.text


def test_a_queue_that_may_forget_is_a_warning(here: Told, redis_server: EmbeddedRedis) -> None:
    with redis.Redis.from_url(redis_server.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            heard = here("doctor", "--json")
        finally:
            client.config_set("maxmemory-policy", "noeviction")
    assert _states(heard.value, "queue") == ["ok", "warn", "ok"]


def test_an_environment_of_another_account_is_found(here: Told) -> None:
    heard = here("doctor", "--json", GOVERNOR_STRIPE_KEY="sk_test_acctother_1")
    assert "fail" in _states(heard.value, "provider")


def test_another_worker_class_brings_slow_clients_back(here: Told) -> None:
    heard = here("doctor", "--json", GUNICORN_CMD_ARGS="--worker-class gthread")
    assert _states(heard.value, "web") == ["fail"]


def test_a_clock_that_a_file_moves_is_a_warning(here: Told, tmp_path: Path) -> None:
    heard = here("doctor", "--json", GOVERNOR_DEV_CLOCK=str(tmp_path / "clock"))
    assert _states(heard.value, "settings") == ["ok", "warn"]


def test_a_run_that_nobody_begins_is_a_warning(here: Told, story: Story) -> None:
    def said() -> list[str]:
        heard = here("doctor", "--json")
        return [line["says"] for line in heard.value["checks"] if line["check"] == "long work"]

    assert said() == ["no run waits for a runner"]
    run = here("run", "begin", "verify_trail", "--json").value["id"]
    assert said() == ["no run waits for a runner"]
    with psycopg.connect(libpq(story.app.engine.url.render_as_string(hide_password=False))) as session:
        session.execute("UPDATE runs SET due_at = now() - interval '1 hour' WHERE id = %s", [run])
    (warned,) = said()
    assert "does `governor runner` run?" in warned
    story.app.long_work.carry_out(lambda: False)
    assert said() == ["no run waits for a runner"]


def test_a_process_that_something_waits_for_is_missed(here: Told, story: Story) -> None:
    def said() -> list[str]:
        heard = here("doctor", "--json")
        return [line["says"] for line in heard.value["checks"] if line["check"] == "processes"]

    assert [says.partition("`")[2].partition("`")[0] for says in said()] == [
        f"governor {one}" for one in ProcessKind
    ]
    assert said()[2] == (
        "nothing is sent, and no event is read: no `governor worker` lives, none was seen of late"
    )
    for kind in (*ProcessKind, ProcessKind.WORKER):
        assert story.app.oversight.alive(kind)()
    assert said() == ["1 web, 1 relay, 2 worker, 1 cron, 1 runner and 1 messenger live"]
    with psycopg.connect(libpq(story.app.engine.url.render_as_string(hide_password=False))) as session:
        session.execute("UPDATE processes SET seen_at = now() - interval '1 hour' WHERE kind = 'cron'")
    (warned,) = said()
    assert "no `governor cron` lives, the last was seen at " in warned


def test_events_that_stay_unread_and_lists_that_nobody_walks_are_warnings(here: Told, story: Story) -> None:
    def said() -> list[str]:
        heard = here("doctor", "--json")
        return [line["says"] for line in heard.value["checks"] if line["check"] == "catching up"]

    story.app.catch_up.events(ENVIRONMENT)
    assert said() == ["every event was read, and the provider's lists are walked"]
    with psycopg.connect(libpq(story.app.engine.url.render_as_string(hide_password=False))) as session:
        session.execute(
            "INSERT INTO provider_events (environment, id, type, payment, happened_at, received_at, via, digest,"
            " due_at, tries) VALUES (%s, 'evt_stuck', 'refund.updated', 'pi_stuck', now(), now(), 'poll',"
            " repeat('0', 64), now() + interval '1 hour', 5)",
            [ENVIRONMENT],
        )
        session.execute(
            "UPDATE provider_walks SET walked_at = now() - interval '2 days' WHERE list = 'refunds'"
        )
    unread, stale = said()
    assert unread.startswith(f"1 events of environment {ENVIRONMENT} stay unread")
    assert stale.startswith(f"the provider's refunds were last walked for environment {ENVIRONMENT}")
    with psycopg.connect(libpq(story.app.engine.url.render_as_string(hide_password=False))) as session:
        session.execute("DELETE FROM provider_events WHERE id = 'evt_stuck'")
        session.execute("UPDATE provider_walks SET walked_at = now() WHERE list = 'refunds'")
    assert len(said()) == 1
