"""The words that people read for what the domain names in one: states, effects, times, roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from governor.domain.lifecycle import ProviderEffect, State
from governor.domain.trail import Fault
from governor.domain.wording import SAYS

STATES: Mapping[State, tuple[str, str]] = {
    State.DENIED: ("Denied", "danger"),
    State.PENDING_APPROVAL: ("Waits for approval", "warning"),
    State.QUEUED: ("Queued", "info"),
    State.DISPATCHING: ("Being sent", "info"),
    State.UNKNOWN: ("Outcome unknown", "warning"),
    State.PROVIDER_PENDING: ("Pending at Stripe", "info"),
    State.SUCCEEDED: ("Refunded", "success"),
    State.FAILED: ("Failed", "danger"),
    State.REVERSED: ("Reversed by the bank", "danger"),
    State.REJECTED: ("Rejected", "secondary"),
    State.EXPIRED: ("Expired undecided", "secondary"),
    State.CANCELED: ("Canceled", "secondary"),
}
"""What a state is called, and the tone of its badge, which never says anything that the words do not."""

EFFECTS: Mapping[ProviderEffect, tuple[str, str]] = {
    ProviderEffect.NONE: ("No money moved", "secondary"),
    ProviderEffect.IN_DOUBT: ("In doubt: money may have moved", "warning"),
    ProviderEffect.PENDING: ("Under way at Stripe", "info"),
    ProviderEffect.DONE: ("Money was refunded", "success"),
    ProviderEffect.FAILED: ("The refund failed; no money moved", "danger"),
}

TASKS: Mapping[str, tuple[str, str]] = {
    "open": ("Open", "info"),
    "stopped": ("Stopped", "secondary"),
    "done": ("Done", "success"),
}

_UNITS = (
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
)


def span(length: timedelta) -> str:
    """A length of time in its largest unit: "3 hours", "1 day", "a moment"."""
    for unit, name in _UNITS:
        count = length // unit
        if count:
            return f"1 {name}" if count == 1 else f"{count} {name}s"
    return "a moment"


def seconds(length: timedelta) -> str:
    """A length of time for whoever counts seconds: "1.2 s", "90 s", then as `span`."""
    tenths = length // timedelta(milliseconds=100)
    if length < timedelta(seconds=10):
        return f"{tenths // 10}.{tenths % 10} s"
    return f"{tenths // 10} s" if length < timedelta(minutes=2) else span(length)


def lasting(seconds: int) -> str:
    """As `span`, to the second where it is less than a minute: "40 s"."""
    return f"{seconds} s" if seconds < 60 else span(timedelta(seconds=seconds))


def ago(at: datetime, now: datetime) -> str:
    """How a moment lies to the present: "5 minutes ago", "in 2 days", "just now"."""
    if abs(now - at) < timedelta(minutes=1):
        return "just now" if at <= now else "in a moment"
    return f"{span(now - at)} ago" if at < now else f"in {span(at - now)}"


def day(at: datetime, now: datetime) -> str:
    """The day of a moment (UTC), with its year where that is another one: "3 Nov", "3 Nov 2025"."""
    return f"{at.day} {at:%b}" if at.year == now.year else f"{at.day} {at:%b %Y}"


def lately(at: datetime, now: datetime) -> str:
    """As `ago`, to the second where it is less than a minute: "3 s ago"."""
    seconds = (now - at) // timedelta(seconds=1)
    return f"{lasting(seconds)} ago" if 0 <= seconds < 60 else ago(at, now)


def utc(at: datetime) -> str:
    """A moment for people, to the second: "30 Nov 2026, 01:20:05 UTC"."""
    there = at.astimezone(UTC)
    return f"{there.day} {there:%b %Y, %H:%M:%S} UTC"


MEANINGS: Mapping[State, str] = {
    State.DENIED: "Refused when it was asked for, with its reasons. Nothing is held.",
    State.PENDING_APPROVAL: "People decide about it. Its amount stays reserved meanwhile.",
    State.QUEUED: "It is decided, and is sent next.",
    State.DISPATCHING: "It is being sent right now.",
    State.UNKNOWN: "It may have been made, and nobody knows yet. Its amount stays reserved until there is proof.",
    State.PROVIDER_PENDING: "Stripe has the refund, and it is not final there.",
    State.SUCCEEDED: "Stripe says that the money was refunded.",
    State.FAILED: "Stripe refused it, or it failed there. Nothing is reserved for it any more.",
    State.REVERSED: "It was refunded, and later the bank sent the money back.",
    State.REJECTED: "An approver said no. Nothing was sent.",
    State.EXPIRED: "Nobody decided in time. Nothing was sent.",
    State.CANCELED: "It was stopped before any money moved.",
}
"""What each state means, in a sentence."""


WAITS_FOR: Mapping[State, str] = {
    State.PENDING_APPROVAL: "approvers",
    State.QUEUED: "its turn",
    State.DISPATCHING: "Stripe's answer",
    State.UNKNOWN: "proof of what happened",
    State.PROVIDER_PENDING: "the bank",
}
"""Who or what has to do something next; over what is not here, nobody has."""


REASONS: Mapping[str, str] = {
    "requested_by_customer": "The customer asked for it",
    "duplicate": "It was charged twice",
    "fraudulent": "The charge was fraudulent",
}
"""Why a payment is refunded, by Stripe's words for it."""


def reason(word: str | None) -> str | None:
    """A reason in people's words; one that is not among them as it is kept, and None where none was given."""
    return word and REASONS.get(word, spaced(word))


def spaced(word: object) -> str:
    """A word of the contract as people read it: `read_timeout` → "read timeout"."""
    return str(word).replace("_", " ")


RUNS: Mapping[str, tuple[str, str]] = {
    "waiting": ("Waits for its turn", "info"),
    "running": ("Under way", "info"),
    "done": ("Done", "success"),
    "failed": ("Failed", "danger"),
    "canceled": ("Canceled", "secondary"),
    "interrupted": ("Given up", "warning"),
}
"""How a run stands."""


FAULTS: Mapping[Fault, str] = {
    Fault.GAP: "another row stands where this one should be.",
    Fault.HASH: "the row does not say what was sealed.",
    Fault.LINK: "it seals another row than the one before it.",
    Fault.ANCHOR: "it is not the row that was anchored.",
    Fault.HEAD: "the trail does not end where it should.",
    Fault.SIGNATURE: "an anchor of it is not signed by a known key.",
    Fault.FILE: "the file cannot be read, or is not what its manifest says.",
}
"""What is wrong with a trail at its first break."""


_SUBJECTS: Mapping[str, str] = {
    "refund_request": "Refund",
    "external_refund": "Refund",
    "freeze": "Freeze",
    "environment": "Environment",
    "limit": "Limit",
    "rule": "Rule",
    "credential": "Key",
    "endpoint": "Endpoint",
}
"""What messages are about, in the order in which people look for them."""


def message(type_: str) -> str:
    """What a message tells: `refund_request.held` → "Refund waits for approval"."""
    return f"{_SUBJECTS[type_.partition('.')[0]]} {SAYS[type_]}"


def messages(types: Iterable[str]) -> list[str]:
    """Types of messages by what they are about."""
    subjects = list(_SUBJECTS)
    return sorted(types, key=lambda one: (subjects.index(one.partition(".")[0]), message(one)))


def dotted(word: str) -> str:
    """What is named by its subject and what happened to it: `refund_request.held` → "Refund request held"."""
    return spaced(word.replace(".", " ")).capitalize()
