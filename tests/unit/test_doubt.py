from datetime import timedelta
from typing import Any

import pytest

from governor.domain.doubt import age_bucket, candidate, in_doubt_since
from governor.domain.lifecycle import State
from governor.domain.payments import ProviderRefund
from governor.domain.recovery import key_expires_at
from tests.unit.values import NOON, refund, request

SECOND = timedelta(seconds=1)
#   up to                      it is
AGES = [
    (timedelta(minutes=15),    "under_15_minutes"),
    (timedelta(hours=1),       "under_1_hour"),
    (timedelta(hours=4),       "under_4_hours"),
    (timedelta(hours=20),      "under_20_hours"),
    (timedelta(hours=24),      "under_24_hours"),
    (timedelta(days=365),      "over_24_hours"),
]  # fmt: skip


@pytest.mark.parametrize(("bound", "name"), AGES)
def test_an_age_has_its_name_up_to_its_bound(bound: timedelta, name: str) -> None:
    names = [name for _, name in AGES]
    assert age_bucket(bound - SECOND) == name
    assert age_bucket(bound) == names[min(names.index(name) + 1, len(names) - 1)]


def test_what_was_just_sent_by_a_clock_ahead_is_young() -> None:
    assert age_bucket(-SECOND) == "under_15_minutes"


def test_doubt_begins_with_the_first_send_and_the_key_ages_with_it() -> None:
    sent = request(State.UNKNOWN, first_sent_at=NOON + SECOND)
    assert (in_doubt_since(sent), key_expires_at(sent)) == (
        NOON + SECOND,
        NOON + SECOND + timedelta(hours=20),
    )
    never = request(State.UNKNOWN)
    assert (in_doubt_since(never), key_expires_at(never)) == (NOON, None)


SENT_AT = NOON + timedelta(milliseconds=500)
OTHER: dict[str, Any] = {"id": "re_7", "request_id": None, "amount_minor": 99, "currency": "eur"}
"""A refund that has nothing of the request's."""

#    the refund                                        keys                       what fits                ours
CANDIDATES = [
    (refund(**OTHER),                                  {},                        [],                      False),
    (refund(**OTHER | {"request_id": "rr_1"}),         {},                        ["metadata"],            True),
    (refund(**OTHER | {"id": "re_1"}),                 {},                        ["reference"],           True),
    (refund(**OTHER),                                  {"re_7": "governor-rr_1"}, ["idempotency_key"],     True),
    (refund(**OTHER),                                  {"re_7": "governor-rr_2"}, [],                      False),
    (refund(**OTHER | {"amount_minor": 100}),          {},                        ["amount"],              False),
    (refund(**OTHER | {"currency": "usd"}),            {},                        ["currency"],            False),
    (refund(**OTHER, created_at=NOON),                 {},                        ["created_after_first_send"], False),
    (refund(**OTHER, created_at=NOON - SECOND),        {},                        [],                      False),
    # Another request's, whatever else fits.
    (refund(request_id="rr_2", id="re_7"),             {},                        ["amount", "currency"],  False),
]  # fmt: skip


@pytest.mark.parametrize(("shown", "keys", "fits", "ours"), CANDIDATES)
def test_what_of_a_refund_fits_and_whether_that_makes_it_ours(
    shown: ProviderRefund, keys: dict[str, str], fits: list[str], ours: bool
) -> None:
    asked = request(State.UNKNOWN, first_sent_at=SENT_AT, provider_reference="re_1")
    found = candidate(asked, shown, keys)
    assert (list(found.matches), found.is_ours) == (fits, ours)
