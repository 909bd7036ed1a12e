"""How long requests have been in doubt, how long their key may still be sent, and which refund may be theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.domain.payments import ProviderRefund
from governor.domain.recovery import KEY_LIFE
from governor.domain.requests import RefundRequest, provider_key
from governor.domain.sightings import sightings

AGE_BUCKETS: tuple[tuple[str, timedelta | None], ...] = (
    ("under_15_minutes", timedelta(minutes=15)),
    ("under_1_hour", timedelta(hours=1)),
    ("under_4_hours", timedelta(hours=4)),
    ("under_20_hours", KEY_LIFE),
    ("under_24_hours", timedelta(hours=24)),
    ("over_24_hours", None),
)
"""Ages by name, each with its bound; the last one has none. At 20 h the key is too old to be sent again."""


@dataclass(frozen=True)
class DoubtTotal:
    """How many requests of one currency and age are in doubt, and what they may have moved, in minor units."""

    currency: str
    age_bucket: str
    count: int
    amount_minor: int


def in_doubt_since(request: RefundRequest) -> datetime:
    """Since when money may have left for it (UTC): its first send."""
    return request.first_sent_at or request.created_at


def age_bucket(age: timedelta) -> str:
    """The name of an age."""
    return next(name for name, bound in AGE_BUCKETS if bound is None or age < bound)


@dataclass(frozen=True)
class Candidate:
    """A refund of the same payment, and what about it is as this request's would be.

    `is_ours` only by what names the request: two equal refunds of one payment are legitimate (STRIPE.md §7).
    """

    refund: ProviderRefund
    matches: tuple[str, ...]
    is_ours: bool


def candidate(request: RefundRequest, refund: ProviderRefund, keys: Mapping[str, str]) -> Candidate:
    """Hold a refund against a request. `keys`: refund id → the key of the call that made it, as far as known."""
    first_sent = request.first_sent_at
    made_after = (
        first_sent is not None
        and refund.created_at is not None
        # The provider tells whole seconds.
        and refund.created_at >= first_sent.replace(microsecond=0)
    )
    facts = {
        "metadata": refund.request_id == request.id,
        "reference": refund.id == request.provider_reference,
        "idempotency_key": keys.get(refund.id) == provider_key(request.id),
        "amount": refund.amount_minor == request.amount_minor,
        "currency": refund.currency == request.currency,
        "created_after_first_send": made_after,
    }
    (sighting,) = sightings([refund], {request.id: request}, {}, keys)
    return Candidate(
        refund, tuple(name for name, so in facts.items() if so), is_ours=sighting.request is not None
    )
