from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from governor.domain.limits import Scope
from tests.api.people import People
from tests.api.wire import Got
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.stack import eventually

PATH = "/refund-requests"
# API.md "Refund requests", written a second time; `denial` and `duplicate_of` say the same as the problem does.
FIELDS = set(
    """unresolved id environment operation_key payment amount asked_amount currency amount_display reason case note customer state
    effect task money_moved manual provider_reference hold question denial duplicate_of requested_by created_at updated_at
    cancel_requested_at needs_capacity next_action next_action_at retry_after_seconds limits rules""".split()
)


@pytest.fixture(scope="module", autouse=True)
def _limits(world: World) -> None:
    world.limit(1_000_000)
    world.limit(4000, scope=Scope.CUSTOMER, value="cus_tight")
    world.limit(500_000, scope=Scope.CUSTOMER, value="cus_asks", approval_above=1000)


def wish(payment: str, amount: object, **fields: object) -> dict[str, object]:
    return {"payment": payment, "amount": amount, "currency": "usd", **fields}


def drain(world: World, got: Got) -> None:
    assert world.drain(world.app.queries.request(world.operator, got.json["id"])) >= 1


def test_an_admitted_request_is_202_and_holds_capacity(people: People, world: World) -> None:
    got = people.agent.post(PATH, wish(world.payment(5000), 1500, case="zd-4711", note="arrived broken"))
    body = got.json
    assert got.status == 202
    assert got.headers["Location"] == f"/api/v1/refund-requests/{body['id']}"
    assert got.headers["Retry-After"] == "1"
    assert set(body) == FIELDS
    assert (body["state"], body["effect"], body["task"], body["money_moved"]) == (
        "queued",
        "none",
        "open",
        "no",
    )
    assert (body["amount"], body["amount_display"], body["case"]) == (1500, "$15.00", "ZD-4711")
    assert body["created_at"].endswith("Z")
    assert body["limits"][0]["requested"] == 1500


def test_every_answer_is_named_and_neither_cached_nor_framed_nor_sniffed(people: People) -> None:
    for got in (people.agent.get(PATH), people.agent.get("/nothing"), people.agent.post(PATH, {})):
        assert got.headers["Request-Id"].startswith("req_")
        assert got.headers["Cache-Control"] == "no-store"
        assert got.headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'none'" in got.headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in got.headers
        if got.code is not None:
            assert got.json["request_id"] == got.headers["Request-Id"]


def test_waiting_answers_as_soon_as_the_refund_is_final(people: People, world: World) -> None:
    payment = world.payment(5000)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(people.agent.post, PATH, wish(payment, 700), Prefer="wait=20")
        found: list[dict[str, Any]] = []

        def asked() -> bool:
            found.extend(people.agent.get(f"{PATH}?payment={payment}").json["data"])
            return bool(found)

        eventually(asked)
        assert world.drain(world.app.queries.request(world.operator, found[0]["id"])) >= 1
        got = waiting.result()
    assert got.status == 200
    assert got.headers["Preference-Applied"] == "wait=20"
    assert (got.json["state"], got.json["effect"], got.json["money_moved"]) == ("succeeded", "done", "yes")
    assert got.json["provider_reference"].startswith("re_")
    assert "Retry-After" not in got.headers


def test_a_wait_that_is_over_says_where_the_request_stands(people: People, world: World) -> None:
    got = people.agent.post(PATH, wish(world.payment(5000), 701), Prefer="respond-async, wait=1")
    assert (got.status, got.json["state"]) == (202, "queued")
    assert got.headers["Preference-Applied"] == "wait=1"


def test_a_denial_is_a_403_with_its_arithmetic_and_is_replayed_for_ever(people: People, world: World) -> None:
    first = people.agent.post(PATH, wish(world.payment(5000, customer="cus_tight"), 3000))
    assert first.status == 202
    key, asked = fresh_key(), wish(world.payment(5000, customer="cus_tight"), 1500)
    got = people.agent.post(PATH, asked, Idempotency_Key=key)
    problem = got.json
    assert (got.status, got.code) == (403, "limit_exceeded")
    assert got.headers["Location"].endswith(problem["refund_request"]["id"])
    assert (problem["next_action"], problem["retryable"], problem["money_moved"]) == (
        "wait_until",
        False,
        "no",
    )
    full = next(line for line in problem["limits"] if line["value"] == "cus_tight")
    assert [full[name] for name in ("cap", "settled", "reserved", "headroom", "requested")] == [
        4000,
        0,
        3000,
        1000,
        1500,
    ]
    assert problem["next_action_at"] == full["resets_at"]
    assert problem["refund_request"]["state"] == "denied"
    assert set(problem["refund_request"]) == FIELDS
    again = people.agent.post(PATH, asked, Idempotency_Key=f'"{key}"')
    assert (again.status, again.headers["Idempotent-Replayed"]) == (403, "true")
    assert again.json["limits"] == problem["limits"]


def test_a_replay_shows_the_request_as_it_is_now(people: People, world: World) -> None:
    key, asked = fresh_key(), wish(world.payment(5000), 900)
    first = people.agent.post(PATH, asked, Idempotency_Key=key)
    assert "Idempotent-Replayed" not in first.headers
    drain(world, first)
    again = people.agent.post(PATH, {"note": None, **asked}, Idempotency_Key=key)
    assert (again.status, again.headers["Idempotent-Replayed"]) == (200, "true")
    assert (again.json["id"], again.json["state"]) == (first.json["id"], "succeeded")


def test_remaining_is_frozen_to_a_number(people: People, world: World) -> None:
    payment = world.payment(5000)
    people.agent.post(PATH, wish(payment, 1200))
    assert people.agent.post(PATH, wish(payment, "remaining")).json["amount"] == 3800


def test_facts_that_do_not_fit_are_refused_and_leave_the_key_free(people: People, world: World) -> None:
    payment, key = world.payment(5000), fresh_key()
    wrong = people.agent.post(PATH, {**wish(payment, 100), "currency": "eur"}, Idempotency_Key=key)
    assert (wrong.status, wrong.code) == (409, "currency_mismatch")
    mistaken = people.agent.post(PATH, wish(payment, 100, expected_refundable=4999), Idempotency_Key=key)
    assert (mistaken.status, mistaken.code, mistaken.json["refundable"]) == (409, "refundable_mismatch", 5000)
    unknown = people.agent.post(PATH, wish("pi_nobody", 100), Idempotency_Key=key)
    assert (unknown.status, unknown.code) == (404, "payment_not_found")
    assert people.agent.post(PATH, wish(payment, 100), Idempotency_Key=key).status == 202


def test_a_provider_that_is_away_is_a_503_and_the_key_is_free(people: People, world: World) -> None:
    assert isinstance(world.provider, FakeProvider)
    payment, key = world.payment(5000), fresh_key()
    world.provider.unavailable = True
    try:
        got = people.agent.post(PATH, wish(payment, 100), Idempotency_Key=key)
    finally:
        world.provider.unavailable = False
    assert (got.status, got.code, got.json["retryable"]) == (503, "payment_facts_unavailable", True)
    assert int(got.headers["Retry-After"]) >= 1
    assert people.agent.post(PATH, wish(payment, 100), Idempotency_Key=key).status == 202


def test_a_possible_duplicate_names_its_twin_and_only_a_human_repeats_it(
    people: People, world: World
) -> None:
    payment = world.payment(5000)
    first = people.agent.post(PATH, wish(payment, 400))
    got = people.agent.post(PATH, wish(payment, 400))
    assert (got.status, got.code, got.json["duplicate_of"]) == (403, "possible_duplicate", first.json["id"])
    repeat = wish(payment, 400, duplicate_of=first.json["id"], note="two parcels broke")
    assert people.agent.post(PATH, repeat).code == "duplicate_needs_human"
    assert people.supporter.post(PATH, repeat).status == 202


def test_cancelling_before_dispatch_stops_the_request(people: People, world: World) -> None:
    made = people.agent.post(PATH, wish(world.payment(5000), 300)).json
    key = fresh_key()
    got = people.agent.post(f"{PATH}/{made['id']}/cancel", Idempotency_Key=key)
    assert (got.status, got.json["state"], got.json["task"]) == (200, "canceled", "stopped")
    again = people.agent.post(f"{PATH}/{made['id']}/cancel", {}, Idempotency_Key=key)
    assert (again.status, again.headers["Idempotent-Replayed"]) == (200, "true")
    late = people.agent.post(f"{PATH}/{made['id']}/cancel")
    assert (late.status, late.code, late.json["state"]) == (409, "already_final", "canceled")


def test_an_agent_cannot_cancel_the_request_of_another(people: People, world: World) -> None:
    made = people.agent.post(PATH, wish(world.payment(5000), 300)).json
    got = people.other_agent.post(f"{PATH}/{made['id']}/cancel")
    assert (got.status, got.code) == (403, "not_yours")


def test_a_cancel_after_dispatch_is_a_recorded_wish(people: People, world: World) -> None:
    assert isinstance(world.provider, FakeProvider)
    # What other tests left in the queue is sent first, so that the lost reply is this request's.
    drain(world, people.agent.post(PATH, wish(world.payment(5000), 299)))
    made = people.agent.post(PATH, wish(world.payment(5000), 300))
    world.provider.lose_next_reply()
    drain(world, made)
    got = people.agent.post(f"{PATH}/{made.json['id']}/cancel")
    assert (got.status, got.json["state"], got.json["money_moved"]) == (202, "unknown", "unknown")
    assert (got.json["task"], got.json["effect"]) == ("stopped", "in_doubt")
    assert got.json["cancel_requested_at"] is not None


def test_a_read_has_an_etag_and_says_when_to_come_back(people: People, world: World) -> None:
    made = people.agent.post(PATH, wish(world.payment(5000), 300)).json
    got = people.auditor.get(f"{PATH}/{made['id']}")
    assert (got.status, got.headers["Retry-After"]) == (200, "1")
    unchanged = people.auditor.get(f"{PATH}/{made['id']}", If_None_Match=got.headers["ETag"])
    assert (unchanged.status, unchanged.body) == (304, b"")


def test_the_timeline_shows_what_was_learnt_from_the_provider(people: People, world: World) -> None:
    made = people.agent.post(PATH, wish(world.payment(5000), 300))
    drain(world, made)
    shown = people.auditor.get(f"{PATH}/{made.json['id']}?expand=timeline").json
    asked, settled = shown["timeline"]
    assert (asked["event"], asked["actor"]) == ("requested", shown["requested_by"])
    assert (settled["event"], settled["outcome"]) == ("evidence", "accepted")
    assert settled["provider_reference"] == shown["provider_reference"]


def test_a_preview_gives_the_verdict_and_books_nothing(people: People, world: World) -> None:
    payment = world.payment(5000)
    before = people.agent.get(f"/allowance?currency=usd&payment={payment}").json
    got = people.agent.post(f"{PATH}/preview", wish(payment, "remaining"))
    assert (got.status, got.json["state"], got.json["amount"], got.json["promise"]) == (
        200,
        "queued",
        5000,
        False,
    )
    assert (
        people.agent.post(f"{PATH}/preview", wish(payment, 5001)).json["denial"]
        == "amount_exceeds_refundable"
    )
    after = people.agent.get(f"/allowance?currency=usd&payment={payment}").json
    assert (after["amount"], after["refundable"]) == (before["amount"], 5000)
    assert people.agent.get(f"{PATH}?payment={payment}").json["data"] == []
