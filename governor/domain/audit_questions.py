"""What those who look after others look for in the audit trail: decisions, changes of limits, overrides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import time
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from governor.domain.approval import APPROVING
from governor.domain.audit import Entry
from governor.domain.environments import Mode, asks_less
from governor.domain.rules import Hours, Weekday

LIMIT_CHANGES: Final = (
    "limit.created",
    "limit.changed",
    "limit.change_proposed",
    "limit.change_withdrawn",
    "limit.archiving_proposed",
    "limit.archived",
)
"""What is said of limits."""

DECISIONS: Final = (
    "hold.decided",
    "hold.taken_back",
    "refund_request.returned",
    "refund_request.resolution_proposed",
    "refund_request.resolved",
    "stand_in.named",
    "stand_in.ended",
    *LIMIT_CHANGES,
    "rule.created",
    "rule.changed",
    "rule.archived",
    "freeze.began",
    "freeze.end_proposed",
    "freeze.ended",
    "environment.changed",
    "environment.acknowledged",
    "person.disabled",
    "person.enabled",
    "credential.created",
    "credential.rotated",
    "credential.revoked",
)
"""What somebody decided: about refunds, about what they may be, or about who decides."""

OFFICE_HOURS: Final = Hours(time(8), time(18), tuple(Weekday)[:5], "UTC")
"""When decisions are expected, unless somebody says otherwise."""

_Facts = Mapping[str, Any]


def _always(_facts: _Facts) -> bool:
    return True


def _approved_though_warned(facts: _Facts) -> bool:
    return facts.get("choice") in APPROVING and bool(facts.get("warned"))


class LetGo(StrEnum):
    """What a change of settings let go: nothing is blocked since, or one person alone raises, or approves with less care."""

    BLOCKING = "blocking"
    SECOND_PERSON = "second_person"
    FRESH_PROOF = "fresh_proof"
    TYPED_AMOUNT = "typed_amount"


def let_go(facts: _Facts) -> tuple[LetGo, ...]:
    """All that a row of changed settings let go; nothing where it only holds tighter."""
    before, after = facts.get("from") or {}, facts.get("to") or {}

    def less(name: str) -> bool:
        return asks_less(before.get(name) or {}, after.get(name) or {})

    gone = {
        LetGo.BLOCKING: after.get("mode") == Mode.OBSERVE != before.get("mode"),
        LetGo.SECOND_PERSON: before.get("raises_need_two") and not after.get("raises_need_two"),
        LetGo.FRESH_PROOF: less("prove_above"),
        LetGo.TYPED_AMOUNT: less("type_above"),
    }
    return tuple(kind for kind, is_gone in gone.items() if is_gone)


def _lets_go(facts: _Facts) -> bool:
    return bool(let_go(facts))


_OVERRIDES: Final[Mapping[str, Callable[[_Facts], bool]]] = MappingProxyType(
    {
        "refund_request.resolved": _always,
        "refund_request.repeated": _always,
        "limit.raised_by_requester": _always,
        "environment.acknowledged": _always,
        "environment.changed": _lets_go,
        "hold.decided": _approved_though_warned,
    }
)
OVERRIDES: Final = tuple(_OVERRIDES)
"""The actions that may be an override."""


def overrides(entry: Entry) -> bool:
    """Whether people set aside what governor or the provider said: a doubt, a warning, a stop, a likely duplicate."""
    is_one = _OVERRIDES.get(entry.action)
    return is_one is not None and is_one(entry.facts)


def said_first(entry: Entry) -> str | None:
    """The other person where it took two: who had said it before."""
    first = entry.facts.get("first")
    return str(first["person"]) if isinstance(first, Mapping) and first.get("person") else None
