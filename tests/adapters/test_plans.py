"""The plans that are made once and kept while tables grow: each look-up names more than its environment."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, text

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.sql import approvals, read_statements, trail
from adapters.sql.engine import make_engine
from governor.bench.history import make_past
from governor.bench.world import application, found
from tests.adapters.statements import GROWING, OWN_TYPES, TYPES, hot_statements
from tests.servers import fresh_database

TOLD = """
    INSERT INTO endpoints (environment, id, kind, place, target, secret, types, created_at, told_since)
    SELECT name, 'ep_past', 'webhook', 'hooks.example.com', '', '', '{}', created_at, created_at FROM environments;
    INSERT INTO messages SELECT environment, concat('msg_', seq), seq, 'refund_request.queued', object, at FROM audit;
    INSERT INTO deliveries (environment, endpoint, message, state, tries, created_at, delivered_at)
    SELECT environment, 'ep_past', id, 'delivered', 1, at, at FROM messages;
    UPDATE refund_requests SET requested_by = 'cred_past' || right(payment, 2);
    ANALYZE messages; ANALYZE deliveries; ANALYZE refund_requests"""
"""All of the past was told to somebody, and asked for by many."""


HOT = hot_statements()


@pytest.fixture(params=["empty", "grown"], scope="module")
def tables(
    request: pytest.FixtureRequest, postgres_server: EmbeddedPostgres, migrated_template: str
) -> Iterator[str]:
    """A database as a migration leaves it, or with a past and its statistics; nobody writes to it after that."""
    with fresh_database(postgres_server, migrated_template) as url:
        if request.param == "grown":
            _grow(url)
        yield url


def _grow(url: str) -> None:
    app = application(url)
    make_past(app, found(app, payments=[f"pi_bench{n:06d}" for n in range(100)]), 3000)
    with app.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in TOLD.split(";"):
            connection.execute(text(statement))
    app.engine.dispose()


@pytest.fixture
def connection(tables: str) -> Iterator[Connection]:
    """A session of this test's own, as governor has it."""
    engine = make_engine(tables, pool_size=2)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


NAMED = re.compile(r"(?<![:\w]):([a-z_]+)\b")


def _names(statement: str) -> list[str]:
    return list(dict.fromkeys(NAMED.findall(statement)))


def _numbered(name: str, statement: str) -> str:
    """The statement with typed `$n` for its named parameters, as the driver prepares it."""
    names = _names(statement)

    def number(match: re.Match[str]) -> str:
        word = match[1]
        kind = OWN_TYPES.get((name, word)) or TYPES.get(word)
        return f"${names.index(word) + 1}" + (f"::{kind}" if kind else "")

    return NAMED.sub(number, statement)


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def _plan(connection: Connection, name: str, statement: str) -> list[dict[str, Any]]:
    explained = connection.exec_driver_sql(
        f"EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) {_numbered(name, statement)}"
    ).scalar_one()
    return list(_nodes(explained[0]["Plan"]))


ONLY_THE_ENVIRONMENT = re.compile(r"\(*(?:\w+\.)?environment = [^()]+(?:\([^()]*\))?\)*(?:::text\)*)?")


def _looks_at_too_much(node: dict[str, Any], tables: dict[str, str]) -> str | None:
    """Why this node reads more the longer the past is; None when it does not."""
    table = node.get("Relation Name") or tables.get(str(node.get("Index Name")), "")
    if table not in GROWING or node["Node Type"] in {"ModifyTable", "Bitmap Heap Scan", "Tid Scan"}:
        return None
    if "Index Name" not in node:
        return f"{node['Node Type']} over {table}"
    condition = str(node.get("Index Cond", ""))
    if not condition or ONLY_THE_ENVIRONMENT.fullmatch(condition):
        return f"{node['Index Name']} by {condition or 'nothing'}"
    return None


def _tables(connection: Connection) -> dict[str, str]:
    return dict(
        connection.execute(
            text("SELECT indexname, tablename FROM pg_indexes WHERE schemaname = 'public'")
        ).all()
    )


def test_no_hot_statement_reads_more_the_longer_the_past_is(connection: Connection) -> None:
    tables = _tables(connection)
    found = {
        name: [_looks_at_too_much(node, tables) for node in _plan(connection, name, statement)]
        for name, statement in HOT.items()
    }
    assert {name: [why for why in whys if why] for name, whys in found.items() if any(whys)} == {}


def test_a_page_of_requests_is_read_from_the_end_of_the_key(connection: Connection) -> None:
    """Sorted, the list that everybody begins with would be all that there ever was."""
    plan = _plan(connection, "REQUESTS", read_statements.REQUESTS.text)
    assert {node["Node Type"] for node in plan} == {"Limit", "Index Scan"}
    assert "id" in str(plan[-1]["Index Cond"])


def test_the_list_of_what_has_not_succeeded_does_not_walk_the_past(connection: Connection) -> None:
    """Where few stand so, a page of them in the order of ids would read every request there ever was."""
    plan = _plan(connection, "REQUESTS_OF_STATES", read_statements.REQUESTS_OF_STATES.text)
    scans = [
        node.get("Index Name", "none") for node in plan if node.get("Relation Name") == "refund_requests"
    ]
    assert len(scans) == 5
    assert not {"none", "refund_requests_pkey", "refund_requests_environment_operation_key_key"} & set(scans)


def test_what_waits_for_an_answer_is_found_by_an_index_of_nothing_else(connection: Connection) -> None:
    """Every page of a requester asks for it, who may have asked for all that there is."""
    plan = _plan(connection, "QUESTIONS", approvals.QUESTIONS.text)
    assert {node.get("Index Name") for node in plan} - {None} == {"refund_requests_to_be_answered"}


OPEN_BY = {
    "pending_approval": {"refund_requests_waiting"},
    "queued": {"refund_requests_due"},
    "dispatching": {"refund_requests_leased"},
    "unknown": {"refund_requests_in_doubt"},
    "provider_pending": {"refund_requests_in_doubt"},
    "failed": set[str](),
}
"""Which index shows what stands so and is open."""


def test_of_what_is_open_only_that_is_read_which_was_asked_for(connection: Connection) -> None:
    """While the provider is away thousands are queued: who asks for what failed does not read them."""
    statement = read_statements.REQUESTS_OF_STATES.text
    connection.exec_driver_sql(f"PREPARE asked AS {_numbered('REQUESTS_OF_STATES', statement)}")
    found = {}
    for state in OPEN_BY:
        given = {"env": "'bench'", "states": f"'{{{state}}}'", "after": "NULL", "at_most": "20"}
        values = ", ".join(given.get(name, "'{}'") for name in _names(statement))
        explained = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked ({values})")
        nodes = _nodes(explained.scalar_one()[0]["Plan"])
        read = {node["Index Name"] for node in nodes if "Index Name" in node and node["Actual Loops"]}
        found[state] = read - {"refund_requests_ended_otherwise"}
    assert found == OPEN_BY


@pytest.mark.parametrize("named", ["object", "action", "actor"])
@pytest.mark.parametrize("end", ["AUDIT", "AUDIT_END"])
def test_what_is_named_of_the_trail_is_found_by_its_own_index(
    connection: Connection, end: str, named: str
) -> None:
    """Along its numbers, a trail would be walked to its end for what few of its rows say."""
    name = f"{end}_OF_{named.upper()}S"
    plan = _plan(connection, name, getattr(trail, name).text)
    scans = [node for node in plan if node.get("Relation Name") == "audit"]
    assert {node.get("Index Name") for node in scans} == {f"audit_{named}"}
    assert f"{named} = " in str(scans[-1]["Index Cond"])
    keys = {node.get("Index Name") for node in plan if node.get("Relation Name") == "credentials"}
    assert keys == (set() if named == "action" else {"credentials_owner"}), "who is meant by an actor"


def test_a_look_up_by_the_environment_alone_is_noticed(connection: Connection) -> None:
    tables = _tables(connection)
    for statement in (
        "SELECT * FROM payments WHERE environment = $1",
        "SELECT * FROM refund_requests WHERE environment = $1 AND note = $2",
        "SELECT sum(amount) FROM holds",
        "SELECT * FROM outbox WHERE environment = $1",
    ):
        assert any(_looks_at_too_much(node, tables) for node in _plan(connection, "", statement)), statement
    fine = "SELECT * FROM payments WHERE environment = $1 AND payment = $2"
    assert not any(_looks_at_too_much(node, tables) for node in _plan(connection, "", fine))
