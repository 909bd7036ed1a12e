"""How often a key may call is told with every answer, and one call more is refused before anything was looked at."""

import pytest
from flask import Flask

from governor.api.app import ROUTES, create_app
from governor.api.openapi import build_openapi
from governor.domain.credentials import Role
from governor.http.quota import Quota
from tests.api.conftest import HOST
from tests.api.contract import HeldToContract
from tests.api.people import People, Person
from tests.api.wire import InProcess
from tests.builders import World, fresh_key

FEW = 5


@pytest.fixture
def counted(world: World) -> Flask:
    """A surface whose clock stands still: nothing flows back."""
    quota = Quota(FEW, lambda: 0.0)
    return create_app(world.app, trusted_hosts=[HOST], cursor_key=b"k" * 32, quota=quota)


@pytest.fixture
def caller(world: World, counted: Flask) -> Person:
    return Person(HeldToContract(InProcess(counted), build_openapi(ROUTES)), world.key(Role.AGENT, "eager"))


def test_every_answer_says_what_is_left_and_the_next_call_is_a_429(caller: Person) -> None:
    answers = [caller.get("/refund-requests"), caller.get("/limits"), caller.get("/refund-requests/rr_none")]
    assert [one.status for one in answers] == [200, 403, 404]
    assert [one.headers["RateLimit"] for one in answers] == [
        f'"key";r={left};t={60 - left * 12}' for left in (4, 3, 2)
    ]
    assert {one.headers["RateLimit-Policy"] for one in answers} == {f'"key";q={FEW};w=60'}
    for _ in range(2):
        caller.get("/refund-requests")
    got = caller.get("/refund-requests")
    assert (got.status, got.code, got.json["retryable"], got.json["next_action"]) == (
        429,
        "rate_limited",
        True,
        "wait",
    )
    assert (got.headers["Retry-After"], got.json["retry_after_seconds"]) == ("12", 12)


def test_what_is_refused_decides_nothing_and_its_operation_key_is_free(
    caller: Person, world: World, people: People
) -> None:
    world.limit(1_000_000)
    asked, key = {"payment": world.payment(), "amount": 100, "currency": "usd"}, fresh_key()
    for _ in range(FEW):
        caller.get("/refund-requests")
    assert caller.post("/refund-requests", asked, Idempotency_Key=key).status == 429
    assert people.agent.post("/refund-requests", {**asked, "amount": 7}, Idempotency_Key=key).status == 202


def test_another_key_is_not_kept_waiting_and_no_key_is_counted_for_nobody(
    caller: Person, world: World, counted: Flask
) -> None:
    for _ in range(FEW + 1):
        caller.get("/refund-requests")
    other = Person(InProcess(counted), world.key(Role.AGENT, "patient"))
    assert other.get("/refund-requests").headers["RateLimit"] == f'"key";r={FEW - 1};t=12'
    nobody = other.get("/refund-requests", Authorization="Bearer gvk_test_nobody")
    assert (nobody.status, "RateLimit" in nobody.headers) == (401, False)
