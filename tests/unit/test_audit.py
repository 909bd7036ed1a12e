import hashlib
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from governor.domain.audit import GENESIS, Entry, Sealed, seal
from tests.unit.values import NOON

ENTRY = Entry("cred_1", "refund_request.admitted", "rr_1", {"amount": 100, "denial": None})
FIRST = seal("test", 1, NOON, ENTRY, GENESIS)


def test_a_row_is_sealed_over_everything_it_says() -> None:
    """Recomputed from the documented form alone, as an auditor without governor would."""
    said = {
        "environment": "test",
        "seq": 1,
        "at": "2026-11-29T12:00:00.000000+00:00",
        "actor": "cred_1",
        "action": "refund_request.admitted",
        "object": "rr_1",
        "facts": {"amount": 100, "denial": None},
        "prev_hash": "0" * 64,
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert FIRST.hash == hashlib.sha256(text.encode()).hexdigest()
    assert Sealed("test", 1, NOON, ENTRY, GENESIS, FIRST.hash) == FIRST


@pytest.mark.parametrize(
    "other",
    [
        {"environment": "other"},
        {"seq": 2},
        {"at": NOON + timedelta(microseconds=1)},
        {"entry": replace(ENTRY, actor="cred_2")},
        {"entry": replace(ENTRY, action="refund_request.denied")},
        {"entry": replace(ENTRY, object="rr_2")},
        {"entry": replace(ENTRY, facts={"amount": 101, "denial": None})},
        {"entry": replace(ENTRY, facts={"amount": 100})},
        {"prev_hash": "1" * 64},
    ],
)
def test_nothing_in_a_row_can_be_changed_unseen(other: dict[str, Any]) -> None:
    as_it_was: dict[str, Any] = {
        "environment": "test",
        "seq": 1,
        "at": NOON,
        "entry": ENTRY,
        "prev_hash": GENESIS,
    }
    assert seal(**(as_it_was | other)).hash != FIRST.hash


def test_a_chain_shows_a_row_left_out_or_put_in_another_place() -> None:
    second = seal("test", 2, NOON, ENTRY, FIRST.hash)
    third = seal("test", 3, NOON, ENTRY, second.hash)
    assert seal("test", 2, NOON, ENTRY, GENESIS).hash != second.hash
    assert seal("test", 2, NOON, ENTRY, FIRST.hash).hash == second.hash
    assert seal("test", 3, NOON, ENTRY, FIRST.hash).hash != third.hash


def test_the_order_in_which_facts_were_put_down_does_not_matter() -> None:
    turned = replace(ENTRY, facts={"denial": None, "amount": 100})
    assert seal("test", 1, NOON, turned, GENESIS).hash == FIRST.hash
