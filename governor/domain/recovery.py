"""When and how a request in doubt is looked at again. The schedule backs off and never ends in silence."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest

KEY_LIFE = timedelta(hours=20)
"""Stripe may forget a key after 24 h, and a forgotten key is a second refund (STRIPE.md §3)."""

REPLAYS = 3
"""How many replays are worth it before reading has to tell."""

SAVED_500 = "http_500"
"""The adapter's word for a 500, which Stripe keeps under the key: answered to a replay, it says nothing new."""

LOOKS_BEFORE_FLAG = 8
"""After this many looks an operator is asked; the hold stays and the looking goes on."""

ABSENT_AFTER = timedelta(hours=48)
"""Twice the shortest life of a key: no call that was sent can still arrive, and none will be sent again."""

ABSENT_AGAIN = timedelta(hours=24)
"""One empty look proves nothing; another one, this much later, does (STRIPE.md §7)."""

EVENTS_KEPT = timedelta(days=30)
"""The provider forgets its events after this (STRIPE.md §5): from then on they prove nothing by being silent."""

CLOCKS_APART = timedelta(hours=1)
"""How far the provider's clock may be from ours, at the worst; its times are whole seconds besides."""

ABSENT = "absent"
"""The word of a first empty look."""

_WAITS = tuple(timedelta(seconds=s) for s in (10, 30, 120, 600, 1800, 3600))
"""Between looks; the last one repeats."""


class Look(StrEnum):
    """How to look: REPLAY sends the same call again under the same key, READ only asks what is there."""

    REPLAY = "replay"
    READ = "read"


def next_look_at(now: datetime, looks: int) -> datetime:
    """When to look again after `looks` looks."""
    return now + _WAITS[min(looks, len(_WAITS) - 1)]


def key_expires_at(request: RefundRequest) -> datetime | None:
    """When its key becomes too old to be sent again, counted from the first send; None when it was never sent."""
    return None if request.first_sent_at is None else request.first_sent_at + KEY_LIFE


def key_is_young(request: RefundRequest, now: datetime) -> bool:
    """Whether a call under its key, sent once already, may be sent again at `now`."""
    expires_at = key_expires_at(request)
    return expires_at is not None and now < expires_at


def could_be_absent(request: RefundRequest, now: datetime) -> bool:
    """Whether an empty look could mean that nothing was executed (RELIABILITY §0, 2).

    Only for what nobody wants any more: whatever is still wanted is for people to decide.
    """
    return (
        request.state is State.UNKNOWN
        and request.cancel_requested_at is not None
        and request.provider_reference is None
        and request.first_sent_at is not None
        and ABSENT_AFTER <= now - request.first_sent_at < EVENTS_KEPT - CLOCKS_APART
    )


def look(request: RefundRequest, now: datetime, *, stopped: bool) -> Look:
    """Replay only what may still execute and is still wanted; everything else is only read.

    A replay needs a young key, no cancellation wish (invariant 16: nothing must execute that nobody wants any
    more) and an environment whose provider writes are not stopped (invariant 15).
    """
    saved_500 = request.attempts > 1 and request.last_reason == SAVED_500
    replayable = (
        request.state is State.UNKNOWN
        and not saved_500
        and not stopped
        and request.cancel_requested_at is None
        and request.attempts <= REPLAYS
        and key_is_young(request, now)
    )
    return Look.REPLAY if replayable else Look.READ
