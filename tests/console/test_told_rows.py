"""A row of the trail in words, whatever it says: of this release, of another one, or of nothing that is known."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from governor.console.audit.told_rows import ToldRow, told
from governor.domain.audit import GENESIS, Entry, seal

_AT = datetime(2026, 11, 30, 8, tzinfo=UTC)
_REQUEST = "rr_01m8npa1d3e00a4qngajxned93"
_LIMIT = {
    "scope": "customer",
    "value": "cus_1",
    "measure": "amount",
    "currency": "usd",
    "window": "day",
    "window_days": None,
    "time_zone": "UTC",
    "cap": 2000,
    "approval_above": None,
    "revision": 1,
}


def _row(action: str, about: str = _REQUEST, **facts: Any) -> ToldRow:
    return told(seal("test", 1, _AT, Entry("cred_1", action, about, facts), GENESIS))


def test_states_are_told_by_their_names_on_the_other_pages() -> None:
    row = _row("hold.decided", choice="approve", **{"from": "pending_approval", "to": "queued"})
    assert row.words == "Approved"
    assert row.changes == (("state", "Waits for approval", "Queued"),)
    assert _row("freeze.ended", **{"from": "frozen", "to": "unfreeze_proposed"}).changes == (
        ("state", "frozen", "unfreeze proposed"),
    )


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        (12345, "usd", "$123.45"),
        (500, "jpy", "¥500"),
        ({"from": 22000, "to": 15000}, "usd", "$150.00 of $220.00"),
        ({"from": 900, "to": 900}, "usd", "$9.00"),
        (900, None, None),
        ("900", "usd", None),
        (True, "usd", None),
        (900, "xxx", None),
    ],
)
def test_an_amount_is_told_in_its_currency_and_not_at_all_when_it_is_none(
    amount: object, currency: str | None, words: str | None
) -> None:
    assert _row("hold.decided", choice="approve", amount=amount, currency=currency).amount == words


def test_a_limit_is_named_and_its_figures_are_of_its_currency() -> None:
    row = _row("limit.changed", "lim_1", **{"from": _LIMIT, "to": _LIMIT | {"cap": 500, "revision": 2}})
    assert row.about == "At most $5.00 a day for the customer cus_1"
    assert row.changes == (("cap", "$20.00", "$5.00"),)
    assert ("revision", "1 → 2") in row.details
    counted = _LIMIT | {"measure": "count", "currency": None, "cap": 12}
    made = _row("limit.created", "lim_1", **{"from": None, "to": counted})
    assert (made.about, made.began) == ("At most 12 refunds a day for the customer cus_1", ())


def test_a_limit_that_no_release_of_today_writes_is_told_member_by_member() -> None:
    made = _row("limit.created", "lim_1", **{"from": None, "to": {"cap": 7, "shape": "round"}})
    assert (made.about, made.began) == (None, (("cap", 7), ("shape", "round")))


def test_what_asks_for_more_care_is_told_as_money() -> None:
    row = _row(
        "environment.changed", "test", **{"from": {"prove_above": {}}, "to": {"prove_above": {"usd": 50000}}}
    )
    assert row.changes == (("prove_above", [], ["$500.00"]),)
    assert not row.can_be_found


@pytest.mark.parametrize(
    ("action", "facts", "words"),
    [
        ("refund_request.denied", {"denial": "limit_exceeded"}, "Asked for, and denied: limit exceeded"),
        ("refund_request.admitted", {"to": "queued"}, "Asked for, and allowed at once"),
        ("refund_request.evidence", {"outcome": "unknown"}, "No proof of what happened"),
        ("credential.created", {"to": {"role": "agent"}}, "Key made: agent"),
        ("credential.created", {"to": {"role": "approver", "person": "usr_1"}}, "Role granted: approver"),
        ("hold.decided", {"choice": "shrug"}, "An approver decided"),
        ("hold.decided", {"choice": ["approve"], "amount": 5, "currency": {}}, "An approver decided"),
        ("planet.moved_away", {"why": 7}, "Planet moved away"),
    ],
)
def test_a_headline_says_what_was_decided_and_never_fails(action: str, facts: Any, words: str) -> None:
    assert _row(action, **facts).words == words


def test_who_did_it_is_the_person_and_governor_where_nobody_did() -> None:
    assert _row("hold.taken_back", person="carla").by == "carla"
    assert _row("hold.taken_back", person=None).by == "cred_1"


@pytest.mark.parametrize(
    ("begins", "period"),
    [
        (None, (("to", "2026-12-04T00:00:00Z"),)),
        ("2026-12-01T00:00:00Z", (("from", "2026-12-01T00:00:00Z"), ("to", "2026-12-04T00:00:00Z"))),
    ],
)
def test_a_stand_in_is_told_for_how_long_and_not_as_what_has_changed(begins: str | None, period: Any) -> None:
    facts: dict[str, Any] = {"stand_in": "sam", "away": "lea", "from": begins, "to": "2026-12-04T00:00:00Z"}
    row = _row("stand_in.named", "sti_1", **facts)
    assert (row.began, row.changes) == (period, ())
    assert row.details == (("stand_in", "sam"), ("away", "lea"))
    assert _row("stand_in.ended", "sti_1", stand_in="sam", away="lea").began == ()


@pytest.mark.parametrize("action", ["refund_request.admitted", "refund_request.denied"])
def test_the_state_in_which_a_request_began_is_said_by_its_headline_alone(action: str) -> None:
    facts: dict[str, Any] = {"from": None, "to": "queued", "denial": "no_limit"}
    row = _row(action, **facts)
    assert (row.began, row.changes) == ((), ())


def test_a_state_is_told_also_where_there_was_none_before() -> None:
    facts: dict[str, Any] = {"from": None, "to": "gone_far"}
    assert _row("planet.moved_away", **facts).changes == (("state", None, "gone far"),)
