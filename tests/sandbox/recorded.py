"""Third-party recordings of Stripe, and how the twin's answer to the same call is compared with one."""

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.schema import PROJECT

FOLDER = Path(os.environ.get("GOVERNOR_RECORDINGS", PROJECT.parent / "shared" / "stripe" / "recordings"))

# Headers whose presence means something (INDEX.md, 6 to 10); their values are Stripe's own.
_TELLING = ("Idempotency-Key", "Original-Request", "Idempotent-Replayed", "Request-Id", "Www-Authenticate")
_SAME_VALUE = ("Stripe-Should-Retry", "Idempotent-Replayed")
_ID = re.compile(r"\b(ch|py|pi|re|pyr|du|dp|txn|req)_\w+")

# What must be equal, per object. Ids are compared by being there.
_EQUAL = {
    "refund": ("amount", "currency", "status", "reason", "failure_reason"),
    "charge": (
        "amount", "amount_captured", "amount_refunded", "captured", "currency", "disputed", "livemode", "paid",
        "refunded", "status",
    ),
    "dispute": ("amount", "currency", "is_charge_refundable", "livemode", "status"),
    "balance_transaction": ("amount", "currency", "type", "reporting_category"),
}  # fmt: skip
_PRESENT = {
    "refund": ("charge", "payment_intent", "balance_transaction", "failure_balance_transaction"),
    "charge": ("payment_intent", "balance_transaction", "payment_method"),
    "dispute": ("charge", "payment_intent", "balance_transaction"),
    "balance_transaction": ("source",),
}


@cache
def recording(name: str) -> dict[str, Any]:
    """One file of the collection; skips, loudly, where the collection is not at hand."""
    if not FOLDER.is_dir():
        pytest.skip(f"NOT CHECKED: {FOLDER} is missing; set GOVERNOR_RECORDINGS to the recordings' folder")
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def names() -> set[str]:
    """Every recording at hand."""
    return {path.stem for path in FOLDER.glob("*.json")}


def compare_headers(recorded: dict[str, Any], ours: Any) -> None:
    """Where the recorder kept all headers, a header missing there must be missing here."""
    if not recorded["source"]["provenance"].startswith("A:"):
        return
    headers = {name.title(): value for name, value in recorded["response"]["headers"].items()}
    for name in _TELLING:
        assert (name in headers) is (name in ours), name
    for name in _SAME_VALUE:
        assert headers.get(name) == ours.get(name), name


def compare_errors(recorded: dict[str, Any], ours: dict[str, Any]) -> None:
    """Type, code, param, and the text where the recorder kept it; ids differ."""
    for name in ("type", "code", "param", "doc_url"):
        if name == "doc_url" and name not in recorded:
            continue  # 2015 and the recorders that drop texts have none
        assert recorded.get(name) == ours.get(name), name
    if "message" in recorded:
        assert _ID.sub(r"\1_", recorded["message"]) == _ID.sub(r"\1_", ours["message"])


def compare_objects(recorded: dict[str, Any], ours: dict[str, Any]) -> None:
    """The fields that matter, and the objects inside."""
    kind = recorded["object"]
    assert ours["object"] == kind
    if kind == "list":
        assert (recorded["has_more"], len(recorded["data"])) == (ours["has_more"], len(ours["data"]))
        for theirs, mine in zip(recorded["data"], ours["data"], strict=True):
            compare_objects(theirs, mine)
        return
    for name in _EQUAL[kind]:
        assert name not in recorded or recorded[name] == ours[name], name
    for name in _PRESENT[kind]:
        assert name not in recorded or (recorded[name] is None) is (ours[name] is None), name
    if kind == "refund":
        _compare_refund_shapes(recorded, ours)
    for name in ("balance_transaction", "refunds"):
        if isinstance(recorded.get(name), dict):
            compare_objects(recorded[name], ours[name])


def _compare_refund_shapes(recorded: dict[str, Any], ours: dict[str, Any]) -> None:
    """The twin answers with the keys of 2026: all the older ones, and failure keys on failures only."""
    missing = set(recorded) - set(ours)
    assert not missing, missing
    if recorded["status"] != "failed":
        assert not {name for name in ours if name.startswith("failure_")}
    if "destination_details" in recorded:
        theirs, mine = (found["destination_details"]["card"] for found in (recorded, ours))
        assert (theirs["type"], theirs["reference_type"]) == (mine["type"], mine["reference_type"])
