"""Each role tries what it may not, on a real server, and a real story is played by roles. RELIABILITY §5.3, T32."""

from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest
from psycopg import errors

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.sql.migrate import upgrade
from tests.adapters.roles import LOGINS, MIGRATOR, Roles, in_force
from tests.servers import libpq
from tests.twin import Twin

WORD = ("person", "credential", "reason")
"""What says who said something of a limit, and why."""
APPEND_ONLY = ("audit", "escalations", "evidence", "hold_versions", "votes", "resolutions")


@pytest.fixture
def roles(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[Roles]:
    with in_force(postgres_server, migrated_template) as found:
        yield found


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin() as running:
        yield running


def _tables(roles: Roles) -> list[str]:
    with psycopg.connect(libpq(roles.superuser)) as session:
        rows = session.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return sorted(name for (name,) in rows)


def _refused(session: psycopg.Connection, statement: str) -> bool:
    """Whether the database itself says that this role may not."""
    try:
        session.execute(statement.encode())
    except errors.InsufficientPrivilege:
        return True
    return False


@pytest.mark.parametrize("role", LOGINS)
def test_no_role_of_a_process_can_change_delete_or_empty_what_is_append_only(roles: Roles, role: str) -> None:
    """T32"""
    with roles.session(role) as session:
        for table in APPEND_ONLY:
            for statement in (
                "UPDATE {} SET environment = 'x'",
                "DELETE FROM {}",
                "TRUNCATE {}",
                "ALTER TABLE {} DISABLE TRIGGER USER",
                "DROP TABLE {}",
            ):
                assert _refused(session, statement.format(table)), (table, statement)


@pytest.mark.parametrize("role", LOGINS)
def test_no_role_of_a_process_deletes_what_was_decided_or_changes_the_schema(roles: Roles, role: str) -> None:
    may_delete = {
        *(("governor_web", "processes"), ("governor_worker", "processes")),
        ("governor_worker", "outbox"),
        ("governor_worker", "runs"),
        ("governor_worker", "run_files"),
        *(("governor_worker", table) for table in ("messages", "deliveries", "passed_over")),
        *(("governor_web", table) for table in ("in_flight", "lookers", "sessions", "sign_ins", "snoozes")),
        ("governor_operator", "identities"),
    }
    with roles.session(role) as session:
        for table in _tables(roles):
            assert _refused(session, f"TRUNCATE {table}"), table
            privilege = session.execute("SELECT has_table_privilege(%s, 'DELETE')", [table]).fetchone()
            assert privilege == ((role, table) in may_delete,), table
        for statement in (
            "CREATE TABLE public.mine (n integer)",
            "CREATE TEMPORARY TABLE mine (n integer)",
            "SET ROLE governor_owner",
            "SET SESSION AUTHORIZATION governor_owner",
            "ALTER FUNCTION refuse_change() OWNER TO CURRENT_USER",
            "SET session_replication_role = replica",
        ):
            assert _refused(session, statement), statement


NOT_FOR_A_WORKER: tuple[LiteralString, ...] = (
    "INSERT INTO limits (environment, id) VALUES ('x', 'lim_1')",
    "UPDATE limits SET archived = true",
    "UPDATE limit_changes SET decided_at = now()",
    "INSERT INTO credentials (environment, id) VALUES ('x', 'cred_1')",
    "UPDATE credentials SET revoked_at = NULL",
    "INSERT INTO votes (environment, hold) VALUES ('x', 'hold_1')",
    "INSERT INTO hold_versions (environment, hold) VALUES ('x', 'hold_1')",
    "UPDATE freezes SET ended_at = now()",
    "INSERT INTO endpoints (environment, id) VALUES ('x', 'ep_1')",
    "UPDATE endpoints SET target = ''",
    "UPDATE messages SET object = 'rr_other'",
    "UPDATE endpoints SET secret = ''",
    "INSERT INTO environments (name) VALUES ('x')",
    "UPDATE environments SET limits_revision = 0",
    "UPDATE environments SET account = 'acct_other'",
    "INSERT INTO people (id) VALUES ('usr_1')",
    "UPDATE people SET password_hash = NULL",
    "INSERT INTO sessions (id) VALUES ('ses_1')",
    "INSERT INTO runs (environment, id) VALUES ('x', 'run_1')",
    "UPDATE runs SET asked_by = 'cred_other'",
    "UPDATE runs SET parameters = '{}'",
)
NOT_FOR_THE_WEB: tuple[LiteralString, ...] = (
    "INSERT INTO environments (name) VALUES ('x')",
    "UPDATE environments SET account = 'acct_other'",
    "UPDATE refund_requests SET payment = 'pi_other'",
    "UPDATE refund_requests SET operation_key = 'another-key'",
    "UPDATE refund_requests SET requested_by = 'cred_other'",
    "UPDATE refund_requests SET fingerprint = ''",
    "UPDATE refund_requests SET asked_amount = 0",
    "UPDATE holds SET request = 'rr_other'",
    "UPDATE hold_versions SET shown = '{}'",
    "UPDATE counters SET window_start = now()",
    "DELETE FROM outbox",
    "UPDATE people SET disabled_at = NULL",
    "DELETE FROM identities",
    "INSERT INTO provider_walks (environment) VALUES ('x')",
    "INSERT INTO run_files (environment) VALUES ('x')",
    "UPDATE runs SET asked_by = 'cred_other'",
    "INSERT INTO messages (environment, id) VALUES ('x', 'msg_1')",
    "INSERT INTO deliveries (environment, endpoint) VALUES ('x', 'ep_1')",
    "UPDATE tellings SET seq = 0",
)
NOT_FOR_THE_FIGURES: tuple[LiteralString, ...] = (
    "SELECT note FROM refund_requests",
    "SELECT customer FROM refund_requests",
    "SELECT payment FROM refund_requests",
    "SELECT secret_hash FROM credentials",
    "SELECT id FROM people",
    "SELECT facts FROM audit",
    "SELECT person FROM votes",
    "SELECT refund FROM evidence",
    "SELECT body FROM provider_events",
    "SELECT target FROM endpoints",
    "SELECT secret FROM endpoints",
    "SELECT customer FROM payments",
    "INSERT INTO processes (id) VALUES ('proc_1')",
    "UPDATE environments SET frozen_reason = ''",
)
NOT_FOR_A_READER: tuple[LiteralString, ...] = (
    "SELECT secret_hash FROM credentials",
    "SELECT * FROM credentials",
    "SELECT note FROM refund_requests",
    "SELECT shown FROM refund_requests",
    "SELECT shown FROM hold_versions",
    "SELECT body FROM provider_events",
    "SELECT password_hash FROM people",
    "SELECT name FROM people",
    "SELECT token_hash FROM sessions",
    "SELECT address FROM sign_ins",
    "SELECT reason FROM votes",
    "SELECT reason FROM resolutions",
    "SELECT frozen_reason FROM freezes",
    "SELECT summary FROM runs",
    "SELECT content FROM run_files",
    "SELECT target FROM endpoints",
    "SELECT secret FROM endpoints",
    "SELECT previous_secret FROM endpoints",
)


@pytest.mark.parametrize(
    ("role", "forbidden"),
    [
        ("governor_worker", NOT_FOR_A_WORKER),
        ("governor_web", NOT_FOR_THE_WEB),
        ("governor_metrics", NOT_FOR_THE_FIGURES),
        ("governor_readonly", NOT_FOR_A_READER),
    ],
)
def test_a_role_may_not_do_what_is_anothers(roles: Roles, role: str, forbidden: tuple[str, ...]) -> None:
    with roles.session(role) as session:
        assert [statement for statement in forbidden if not _refused(session, statement)] == []


def test_a_reader_reads_every_table_and_writes_none(roles: Roles) -> None:
    with roles.session("governor_readonly") as session:
        for table in _tables(roles):
            columns = session.execute(
                "SELECT column_name FROM information_schema.column_privileges"
                " WHERE table_name = %s AND grantee = 'governor_readonly' AND privilege_type = 'SELECT'",
                [table],
            ).fetchall()
            assert columns, f"{table} is granted to nobody who reports"
            assert _refused(session, f"INSERT INTO {table} DEFAULT VALUES"), table
        assert session.execute("SELECT id, state, amount FROM refund_requests").fetchall() == []


def test_of_whom_and_why_the_figures_role_reads_what_the_docs_admit_and_no_more(roles: Roles) -> None:
    """docs/security.md, Roles in PostgreSQL: limits, counters and the stops of environments, whole."""
    with psycopg.connect(libpq(roles.superuser)) as session:
        found = session.execute(
            "SELECT table_name, column_name FROM information_schema.column_privileges"
            " WHERE grantee = 'governor_metrics' AND privilege_type = 'SELECT'"
            " AND column_name ~ '(reason|person|credential|agent|customer|payment|case|owner|value|name|note)'"
        ).fetchall()
    words = {f"{who}_{what}" for who in ("proposed", "confirmed", "withdrawn") for what in WORD}
    assert set(found) == {
        *(("environments", name) for name in ("name", "frozen_reason", "halted_reason", "paused_reason")),
        ("environments", "reasons_required"),
        *(("limit_changes", name) for name in words),
        *(("limits", "value"), ("counters", "value"), ("evidence", "reason")),
    }


def test_even_the_owner_is_stopped_by_the_triggers(roles: Roles) -> None:
    with roles.session(MIGRATOR) as session:
        for table in (*APPEND_ONLY, "messages"):
            with pytest.raises(errors.RestrictViolation):
                session.execute(f"TRUNCATE {table} CASCADE".encode())


def test_the_migrations_are_run_by_a_member_of_the_owner(roles: Roles) -> None:
    upgrade(roles.url(MIGRATOR))
    with roles.session(MIGRATOR) as session:
        session.execute("CREATE TABLE later (n integer)")
        owner = session.execute("SELECT tableowner FROM pg_tables WHERE tablename = 'later'").fetchone()
    assert owner == ("governor_owner",)


def test_nobody_else_may_look(roles: Roles) -> None:
    """Also not the role that made the tables, once they are the owner's."""
    with psycopg.connect(libpq(roles.superuser)) as session:
        rows = session.execute(
            "SELECT DISTINCT grantee FROM information_schema.table_privileges WHERE table_schema = 'public'"
        ).fetchall()
    assert {name for (name,) in rows} == {"governor_owner", *LOGINS}
