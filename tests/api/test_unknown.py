"""The unknown desk over HTTP: what operators and auditors see, and how two people close a matter."""

from typing import Any

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.outcome import Outcome, Reply
from tests.api.people import People, Person
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from workers.drain import drain

PATH, ASK = "/unknown", "/refund-requests"
TIMEOUT = Reply(Outcome.UNKNOWN, "read_timeout", provider_request_id="req_lost")


@pytest.fixture(scope="module", autouse=True)
def _limit(world: World) -> None:
    world.limit(1_000_000)


@pytest.fixture
def provider(world: World) -> FakeProvider:
    assert isinstance(world.provider, FakeProvider)
    return world.provider


@pytest.fixture(scope="module")
def second(people: People) -> Person:
    return people.somebody(Role.OPERATOR, "second operator", kind=Kind.HUMAN)


def in_doubt(
    people: People, world: World, provider: FakeProvider, amount: int = 700, *, executed: bool = False
) -> dict[str, Any]:
    """A request whose only call ended in a timeout, as its requester sees it."""
    if executed:
        provider.lose_next_reply()
    else:
        provider.answer_next(TIMEOUT)
    asked = {"payment": world.payment(5000), "amount": amount, "currency": "usd"}
    made = people.agent.post(ASK, asked).json
    drain(world.app, made["id"])
    shown: dict[str, Any] = people.agent.get(f"{ASK}/{made['id']}").json
    assert shown["state"] == "unknown"
    return shown


def resolve(person: Person, request: dict[str, Any], outcome: str, **headers: str) -> Any:
    said = {"outcome": outcome, "reason": "looked at the bank's statement"}
    return person.post(f"{PATH}/{request['id']}/resolutions", said, **headers)


def test_the_answer_for_a_request_in_doubt_says_not_to_use_a_new_key(
    people: People, world: World, provider: FakeProvider
) -> None:
    """Cases 35, 45: a timeout is neither failure nor success, and another key could be a second refund."""
    shown = in_doubt(people, world, provider)
    said = (shown["effect"], shown["money_moved"], shown["next_action"], shown["retry_after_seconds"])
    assert said == ("in_doubt", "unknown", "do_not_retry_with_new_key", 30)
    key, asked = fresh_key(), {"payment": shown["payment"], "amount": 700, "currency": "usd"}
    again = people.agent.post(ASK, asked, Idempotency_Key=key)
    assert (again.status, again.code) == (403, "possible_duplicate"), "a new key sends nothing"


def test_the_desk_shows_what_is_at_risk_the_oldest_first(
    people: People, world: World, provider: FakeProvider
) -> None:
    old, new = in_doubt(people, world, provider, 801), in_doubt(people, world, provider, 802)
    got = people.auditor.get(f"{PATH}?limit=100").json
    ids = [one["id"] for one in got["data"]]
    assert ids.index(old["id"]) < ids.index(new["id"])
    item = next(one for one in got["data"] if one["id"] == old["id"])
    assert item["money_at_risk"] == {"amount": 801, "currency": "usd"}
    assert (item["provider_key"], item["provider_request_ids"]) == (f"governor-{old['id']}", ["req_lost"])
    assert (item["age_bucket"], item["attempts"], item["last_reason"]) == (
        "under_15_minutes",
        1,
        "read_timeout",
    )
    assert 19 * 3600 < item["key_remaining_seconds"] <= 20 * 3600
    assert (item["proposal"], item["manual"], item["unresolved"]) == (None, False, None)
    (total,) = got["summary"]
    assert (total["currency"], total["age_bucket"], total["count"]) == ("usd", "under_15_minutes", len(ids))
    assert total["amount"] == sum(one["amount"] for one in got["data"])


def test_the_desk_comes_in_pages(people: People, world: World, provider: FakeProvider) -> None:
    for _ in range(2):
        in_doubt(people, world, provider)
    whole = [one["id"] for one in people.operator.get(f"{PATH}?limit=100").json["data"]]
    paged: list[str] = []
    query = f"{PATH}?limit=1"
    while True:
        got = people.operator.get(query).json
        paged += [one["id"] for one in got["data"]]
        if not got["has_more"]:
            break
        query = f"{PATH}?limit=1&after={got['next_cursor']}"
    assert paged == whole


def test_the_evidence_pack_is_one_document(people: People, world: World, provider: FakeProvider) -> None:
    request = in_doubt(people, world, provider, executed=True)
    elsewhere = provider.refund_elsewhere(request["payment"], 700)
    pack = people.auditor.get(f"{PATH}/{request['id']}").json
    assert [one["attempt"] for one in pack["attempts_made"]] == [1]
    assert pack["attempts_made"][0]["claimed_at"] is not None
    assert [one["reason"] for one in pack["attempts_made"][0]["evidence"]] == ["read_timeout"]
    assert [(one["amount"], one["state"]) for one in pack["holds"]] == [(700, "held")]
    assert [one["action"] for one in pack["trail"]][-2:] == [
        "refund_request.claimed",
        "refund_request.evidence",
    ]
    (own,) = provider.executed(request["payment"])[:1]
    found = {one["id"]: one for one in pack["candidates"]}
    assert (found[own.id]["is_ours"], "metadata" in found[own.id]["matches"]) == (True, True)
    same = found[elsewhere.id]
    assert (same["is_ours"], set(same["matches"]) >= {"amount", "currency"}) == (False, True)
    assert pack["candidates_unavailable"] is None


def test_a_provider_that_is_away_leaves_the_pack_without_candidates(
    people: People, world: World, provider: FakeProvider
) -> None:
    request = in_doubt(people, world, provider)
    provider.unavailable = True
    try:
        pack = people.operator.get(f"{PATH}/{request['id']}")
        look = people.operator.post(f"{PATH}/{request['id']}/reconcile")
    finally:
        provider.unavailable = False
    assert (pack.status, pack.json["candidates"]) == (200, None)
    assert pack.json["candidates_unavailable"] == "payment_facts_unavailable"
    assert (look.status, look.code) == (503, "payment_facts_unavailable"), (
        "nothing was learnt, and it says so"
    )


def test_a_look_at_the_provider_finds_the_refund_and_sends_nothing(
    people: People, world: World, provider: FakeProvider
) -> None:
    request = in_doubt(people, world, provider, executed=True)
    sent = len(provider.orders)
    for _ in range(2):
        got = people.operator.post(f"{PATH}/{request['id']}/reconcile", {})
        assert (got.status, got.json["state"], got.json["manual"]) == (200, "succeeded", False)
    assert len(provider.orders) == sent


def test_two_operators_close_a_matter_and_it_is_labelled(
    people: People, world: World, provider: FakeProvider, second: Person
) -> None:
    request = in_doubt(people, world, provider)
    key = fresh_key()
    first = resolve(people.operator, request, "failed", Idempotency_Key=key)
    assert (first.status, first.json["completed"]) == (202, False)
    assert first.json["proposal"]["outcome"] == "failed"
    assert [one["code"] for one in first.json["warnings"]] == ["key_still_young"]
    again = resolve(people.operator, request, "failed", Idempotency_Key=key)
    assert (again.status, again.headers["Idempotent-Replayed"]) == (202, "true")
    waits = people.auditor.get(f"{PATH}/{request['id']}").json["proposal"]
    assert (waits["outcome"], waits["person"]) == ("failed", "owner of operator")
    alone = resolve(people.operator, request, "failed")
    assert (alone.status, alone.code) == (409, "second_person_needed")
    otherwise = resolve(second, request, "succeeded")
    assert (otherwise.status, otherwise.code) == (409, "resolution_conflict")
    assert otherwise.json["proposal"]["person"] == "owner of operator"
    closed = resolve(second, request, "failed")
    assert (closed.status, closed.json["completed"], closed.json["proposal"]) == (200, True, None)
    shown = people.agent.get(f"{ASK}/{request['id']}").json
    assert (shown["state"], shown["manual"], shown["money_moved"]) == ("failed", True, "no")
    late = resolve(second, request, "failed")
    assert (late.status, late.code, late.json["state"]) == (409, "not_unknown", "failed")
    pack = people.auditor.get(f"{PATH}/{request['id']}").json
    assert [one["person"] for one in pack["resolutions"]] == ["owner of operator", "owner of second operator"]


@pytest.mark.parametrize(
    ("said", "pointer"),
    [
        ({"outcome": "failed"}, "/reason"),
        ({"outcome": "failed", "reason": ""}, "/reason"),
        ({"outcome": "unknown", "reason": "who knows"}, "/outcome"),
        ({"outcome": "failed", "reason": "r", "amount": 5}, "/amount"),
    ],
)
def test_a_resolution_says_one_of_two_things_and_why(
    people: People, said: dict[str, object], pointer: str
) -> None:
    got = people.operator.post(f"{PATH}/rr_{'0' * 26}/resolutions", said)
    assert (got.status, [one["pointer"] for one in got.json["errors"]]) == (422, [pointer])


def test_what_does_not_exist_is_not_found(people: People) -> None:
    nothing = f"{PATH}/rr_{'0' * 26}"
    for got in (
        people.operator.get(nothing),
        people.operator.post(f"{nothing}/reconcile"),
        people.operator.post(f"{nothing}/resolutions", {"outcome": "failed", "reason": "r"}),
    ):
        assert (got.status, got.code) == (404, "refund_request_not_found")


def test_a_new_request_on_the_payment_is_shown_what_is_unresolved(
    people: People, world: World, provider: FakeProvider
) -> None:
    request = in_doubt(people, world, provider)
    other = {"payment": request["payment"], "amount": 55, "currency": "usd"}
    preview = people.agent.post(f"{ASK}/preview", other).json
    made = people.agent.post(ASK, other)
    read = people.agent.get(f"{ASK}/{made.json['id']}").json
    denied = people.agent.post(ASK, {**other, "amount": 4999})
    shown = (preview, made.json, read, denied.json["refund_request"])
    for unresolved in (one["unresolved"] for one in shown):
        (one,) = unresolved
        assert (one["id"], one["state"], one["amount"]) == (request["id"], "unknown", 700)
    assert people.agent.get(f"{ASK}/{request['id']}").json["unresolved"] == [], "it is not its own obstacle"
