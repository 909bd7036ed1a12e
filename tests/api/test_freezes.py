"""Freezing over HTTP."""

from collections.abc import Iterator

import pytest

from governor.domain.credentials import Kind, Role
from tests.api.people import People, Person
from tests.builders import World, fresh_key

FREEZE, UNFREEZE = "/environment/freeze", "/environment/unfreeze"
STOP, GO = {"reason": "too many refunds"}, {"reason": "the fault is found"}


@pytest.fixture(scope="module")
def second(people: People) -> Person:
    """Another operator."""
    return people.somebody(Role.OPERATOR, "second operator", kind=Kind.HUMAN)


@pytest.fixture(autouse=True)
def _nothing_stays_frozen(people: People, second: Person) -> Iterator[None]:
    yield
    for frozen in people.operator.get("/freezes").json["data"]:
        where = {"scope": frozen["scope"], "value": frozen["value"]}
        people.operator.post(UNFREEZE, {**where, **GO})
        assert second.post(UNFREEZE, {**where, **GO}).json["ended"]


def test_an_environment_is_frozen_by_one_and_let_go_by_two(
    people: People, world: World, second: Person
) -> None:
    world.limit(1_000_000)
    asked = {"payment": world.payment(), "amount": 100, "currency": "usd"}
    frozen = people.operator.post(FREEZE, STOP)
    assert (frozen.status, frozen.json["scope"], frozen.json["value"]) == (200, "environment", None)
    assert (frozen.json["frozen"]["person"], frozen.json["frozen"]["reason"]) == (
        "owner of operator",
        STOP["reason"],
    )
    assert people.agent.get("/environment").json["frozen_reason"] == STOP["reason"]
    assert people.auditor.get("/freezes").json["data"] == [frozen.json]
    key = fresh_key()
    refused = people.agent.post("/refund-requests", asked, Idempotency_Key=key)
    assert (refused.status, refused.code, refused.headers["Retry-After"]) == (503, "frozen", "60")
    assert (refused.json["retryable"], refused.json["frozen"]) == (True, "environment")
    assert STOP["reason"].encode() not in refused.body
    assert people.agent.post("/refund-requests/preview", asked).code == "frozen"
    proposed = people.operator.post(UNFREEZE, GO).json
    assert (proposed["proposed"]["person"], proposed["ended"]) == ("owner of operator", None)
    alone = people.operator.post(UNFREEZE, GO)
    assert (alone.status, alone.code) == (409, "second_person_needed")
    ended = second.post(UNFREEZE, GO).json
    assert ended["ended"]["person"] == "owner of second operator"
    assert second.post(UNFREEZE, GO).code == "not_frozen"
    assert people.agent.post("/refund-requests", asked, Idempotency_Key=key).status == 202


def test_a_payment_is_frozen_and_no_other(people: People, world: World) -> None:
    world.limit(1_000_000)
    stopped, free = world.payment(), world.payment()
    people.operator.post(FREEZE, {"scope": "payment", "value": stopped, **STOP})

    def ask(payment: str) -> int:
        return people.agent.post(
            "/refund-requests", {"payment": payment, "amount": 100, "currency": "usd"}
        ).status

    assert (ask(stopped), ask(free)) == (503, 202)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/reason"),
        ({"reason": ""}, "/reason"),
        ({"scope": "payment", **STOP}, "/value"),
        ({"scope": "environment", "value": "test", **STOP}, "/value"),
        ({"scope": "case", "value": "ZD-1", **STOP}, "/scope"),
        ({"scope": "everything", **STOP}, "/scope"),
        ({"scopee": "environment", **STOP}, "/scopee"),
    ],
)
def test_what_means_nothing_freezes_nothing(people: People, body: dict[str, str], pointer: str) -> None:
    for path in (FREEZE, UNFREEZE):
        got = people.operator.post(path, body)
        assert (got.status, [one["pointer"] for one in got.json["errors"]]) == (422, [pointer])
    assert people.operator.get("/freezes").json["data"] == []


def test_a_credential_that_is_not_there_cannot_be_frozen(people: People) -> None:
    nobody = {"scope": "credential", "value": "cred_" + "0" * 26, **STOP}
    assert people.operator.post(FREEZE, nobody).code == "credential_not_found"


def test_one_key_freezes_once(people: People) -> None:
    key = fresh_key()
    first = people.operator.post(FREEZE, STOP, Idempotency_Key=key)
    again = people.operator.post(FREEZE, STOP, Idempotency_Key=key)
    assert (again.json, again.headers["Idempotent-Replayed"]) == (first.json, "true")
    other = people.operator.post(FREEZE, {"reason": "another"}, Idempotency_Key=key)
    assert other.code == "idempotency_key_reused"
