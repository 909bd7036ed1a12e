"""The corpus of bad inputs (RELIABILITY §4.1-4.5, 4.7), on the application and on the server that runs it.

After every one: the exact status and code, nothing recorded, nothing secret echoed.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from flask import Flask
from psycopg import sql

from governor.domain.credentials import render_key
from tests.api.bad_input import FOLDER, PLACES, Case, Stage, cases
from tests.api.people import People
from tests.api.wire import Got, InProcess, OverSocket, Sent, Wire
from tests.builders import PEPPER, STRIPE_KEY, World
from tests.servers import libpq
from tests.stack import web_server

CASES = list(cases())
SECRET = re.compile(rb"gvk_(?:test|live)_\w{8,}|sk_test_\w{8,}")
Rows = Callable[[], dict[str, int]]


@pytest.fixture(scope="module")
def stage(people: People, world: World) -> Stage:
    """An open hold and an open request, and keys that are nearly right."""
    world.limit(1_000_000, approval_above=1000)
    asked = {"payment": world.payment(5000), "amount": 2000, "currency": "usd"}
    made = people.agent.post("/refund-requests", asked).json
    keys = {name: getattr(people, name).key for name in ("agent", "approver", "operator", "auditor")}
    mine = world.app.authenticate(keys["agent"]).credential.id
    words = {
        "hold": made["hold"],
        "request": made["id"],
        "wrong_secret": render_key(mine, "a" * 43),
        "unknown_id": render_key("cred_01jd0000000000000000000000", "a" * 43),
    }
    return Stage(keys, words, people.operator.get("/environment").headers["ETag"])


@pytest.fixture(scope="module")
def session(world: World) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(libpq(world.database_url), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def served(world: World) -> Iterator[int]:
    """The port of the real server over the same database; its provider is a port where nobody listens."""
    with web_server(
        "governor.wsgi:application",
        GOVERNOR_DATABASE_URL=world.database_url,
        GOVERNOR_REDIS_URL=world.redis_url,
        GOVERNOR_PEPPER=PEPPER,
        GOVERNOR_STRIPE_KEY=STRIPE_KEY,
        GOVERNOR_PROVIDER_URL="http://127.0.0.1:1",
    ) as port:
        yield port


@pytest.fixture(scope="module")
def rows(session: psycopg.Connection[Any]) -> Rows:
    """How many rows every table has, but the one in which processes say that they live: no call makes those.

    The question is put together once, since each of thousands of tests asks it twice.
    """
    names = session.execute(
        "SELECT table_name FROM information_schema.tables"
        " WHERE table_schema = 'public' AND table_name <> 'processes' ORDER BY 1"
    ).fetchall()
    assert len(names) >= 12
    one = sql.SQL("SELECT {}, count(*) FROM {}")
    counts = sql.SQL(" UNION ALL ").join(one.format(name, sql.Identifier(name)) for (name,) in names)
    question = counts.as_bytes(session)
    return lambda: dict(session.execute(question).fetchall())


def check(case: Case, sent: Sent, got: Got) -> None:
    expect = case.expect
    assert "Request-Id" in got.headers
    problem = got.json
    if case.in_line:
        assert got.status == 207
        problem = problem["data"][0]["problem"]
    else:
        assert (got.status, got.code) == (expect["status"], expect["code"])
    assert (problem["status"], problem["code"]) == (expect["status"], expect["code"])
    if "pointer" in expect:
        assert [one["pointer"] for one in problem["errors"]] == [expect["pointer"]]
    answered = got.body + repr(got.headers).encode()
    everything = repr(sent).encode() + (sent.body or b"")
    for secret in SECRET.findall(everything):
        assert secret not in answered


def play(case: Case, stage: Stage, rows: Rows, wire: Wire) -> tuple[Sent, Got]:
    before, sent = rows(), case.request(stage)
    got = wire(sent)
    after = rows()
    assert after == before | {"audit": before["audit"] + case.audited}
    return sent, got


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_bad_input_is_refused_as_documented_and_leaves_nothing(
    case: Case, stage: Stage, rows: Rows, app: Flask
) -> None:
    check(case, *play(case, stage, rows, InProcess(app)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_deployed_server_refuses_it_too(case: Case, stage: Stage, rows: Rows, served: int) -> None:
    sent, got = play(case, stage, rows, OverSocket(served))
    if case.server is None:
        check(case, sent, got)
    else:
        assert got.status == case.server["status"]


def test_the_corpus_reaches_every_route_that_decides_about_money() -> None:
    played = {(case.file, case.route) for case in CASES}
    money = {"refund_requests", "preview", "batches", "decisions", "cancel", "answers"}
    assert len(list(FOLDER.glob("*.json"))) == 6
    for file in ("json_text", "headers"):
        assert {route for name, route in played if name == file} >= money
    assert {route for _, route in played} == set(PLACES) | {"target"}
    assert len(CASES) > 1000
