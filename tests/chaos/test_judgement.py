"""The verdict of a storm finds each kind of broken promise, and nothing where there is none."""

from dataclasses import replace
from typing import Any

import pytest

from governor.chaos.judgement import Books, Judgement, judge
from governor.chaos.told import Decision, Told, Vote

DECISION = Decision("key-0001", "rr_1", "pi_1", 700, "usd", None)
LATER = "2026-11-29T12:00:00Z"


def request(**changes: Any) -> dict[str, Any]:
    """A request that has succeeded."""
    return {
        "id": "rr_1",
        "operation_key": "key-0001",
        "state": "succeeded",
        "payment": "pi_1",
        "amount": 700,
        "currency": "usd",
        "denial": None,
        "moved": 700,
        "due_at": None,
        "cancel_requested_at": None,
        **changes,
    }


def write(**changes: Any) -> dict[str, Any]:
    """The refund of it."""
    made = {"id": "re_1", "payment": "pi_1", "amount": 700, "status": "succeeded", "source": "api"}
    return {**made, "idempotency_key": "governor-rr_1", **changes}


def books(*requests: dict[str, Any], **fields: Any) -> Books:
    """Books with these requests, and with nothing else but `fields`."""
    kept: dict[str, Any] = {"votes": {}, "limits": {}, "external": frozenset(), **fields}
    return Books(requests={row["id"]: row for row in requests}, **kept)


def counts(judgement: Judgement) -> dict[str, int]:
    """What was found, by name."""
    return {name: len(found) for name, found in vars(judgement).items() if found}


def test_a_storm_that_broke_nothing_is_judged_so() -> None:
    told = Told(decisions=[DECISION, DECISION])
    assert counts(judge(books(request()), [write()], told)) == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "rr_2"},
        {"operation_key": "key-0002"},
        {"payment": "pi_2"},
        {"amount": 701},
        {"currency": "eur"},
        {"denial": "no_limit"},
    ],
)
def test_a_decision_that_is_gone_or_another_one_is_lost(changes: dict[str, Any]) -> None:
    found = judge(books(request(state="denied", **changes)), [], Told(decisions=[DECISION]))
    assert counts(found) == {"lost": 1}


def test_two_decisions_under_one_key_are_one_too_many() -> None:
    other = replace(DECISION, id="rr_2")
    assert counts(judge(books(request()), [write()], Told(decisions=[DECISION, other]))) == {"lost": 1}


def test_a_vote_a_cancellation_and_a_limit_can_be_lost_too() -> None:
    told = Told(votes=[Vote("hold_1", "dan", "approve")], cancellations=["rr_1"], limits=[("lim_1", 3)])
    kept = {"votes": {("hold_1", "dan"): "approve"}, "limits": {"lim_1": 4}}
    assert counts(judge(books(request(cancel_requested_at=LATER), **kept), [write()], told)) == {}
    lost = {"votes": {("hold_1", "dan"): "reject"}, "limits": {"lim_1": 2}}
    assert counts(judge(books(request(), **lost), [write()], told)) == {"lost": 3}


def test_two_refunds_under_one_key_are_double() -> None:
    twice = [write(), write(id="re_2")]
    assert counts(judge(books(request()), twice, Told())) == {"double": 1}


@pytest.mark.parametrize(
    ("row", "made"),
    [
        (request(id="rr_2", state="denied"), write()),
        (request(payment="pi_2"), write()),
        (request(moved=1400), write()),
        (request(state="failed"), write()),
        (request(state="canceled"), write(status="pending")),
        (request(), write(status="failed")),
        (request(), write(idempotency_key=None)),
    ],
)
def test_money_that_the_books_do_not_have_is_unexplained(row: dict[str, Any], made: dict[str, Any]) -> None:
    assert judge(books(row), [made], Told()).unexplained


@pytest.mark.parametrize("state", ["succeeded", "provider_pending", "reversed"])
def test_a_refund_that_the_provider_does_not_have_is_unexplained(state: str) -> None:
    assert counts(judge(books(request(state=state, due_at=LATER)), [], Told())) == {"unexplained": 1}


def test_what_is_held_explains_what_left_whatever_it_was() -> None:
    held = request(state="unknown", due_at=LATER)
    assert judge(books(held), [write(amount=1400)], Told()).unexplained == []


def test_a_refund_made_elsewhere_is_explained_when_somebody_saw_it() -> None:
    elsewhere = write(idempotency_key=None, source="dashboard")
    seen = books(request(state="failed"), external=frozenset({"re_1"}))
    assert counts(judge(seen, [elsewhere], Told())) == {}


@pytest.mark.parametrize("key", [None, "a key of another shape"])
def test_a_refund_of_ours_under_no_key_of_ours_is_unexplained_though_the_books_know_it(
    key: str | None,
) -> None:
    seen = books(request(state="failed"), external=frozenset({"re_1"}))
    assert counts(judge(seen, [write(idempotency_key=key)], Told())) == {"unexplained": 1}


@pytest.mark.parametrize("state", ["pending_approval", "queued", "dispatching"])
def test_what_is_open_and_not_watched_is_unresolved(state: str) -> None:
    assert counts(judge(books(request(state=state)), [], Told())) == {"unresolved": 1}


def test_doubt_is_resolved_only_while_somebody_will_look_and_the_provider_has_nothing_to_tell() -> None:
    watched = request(state="unknown", due_at=LATER)
    assert counts(judge(books(watched), [], Told())) == {}
    assert counts(judge(books({**watched, "due_at": None}), [], Told())) == {"unresolved": 1}
    assert counts(judge(books(watched), [write()], Told())) == {"unresolved": 1}
    for otherwise in (write(amount=1400), write(status="failed")):
        assert counts(judge(books(watched), [otherwise], Told())) == {}


def test_a_queued_request_may_wait_behind_one_in_doubt_on_its_payment() -> None:
    behind = request(id="rr_2", operation_key="key-0002", state="queued", due_at=LATER)
    in_doubt = request(state="unknown", due_at=LATER)
    assert counts(judge(books(behind, in_doubt), [], Told())) == {}
    elsewhere = {**in_doubt, "payment": "pi_2"}
    assert counts(judge(books(behind, elsewhere), [], Told())) == {"unresolved": 1}


def test_an_admission_over_its_cap_is_told() -> None:
    assert counts(judge(books(request(), over=("rr_1 on lim_1",)), [write()], Told())) == {"over": 1}
