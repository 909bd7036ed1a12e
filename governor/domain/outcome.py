"""What one reply of the provider proves about one attempt. "We do not know" is the default."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from governor.domain.payments import ProviderRefund


class Outcome(StrEnum):
    """The proof in a reply to a refund call (STRIPE.md §2).

    ACCEPTED      a refund exists at the provider; its status says how far it is
    REJECTED      definitively not executed, and the provider will not execute it: the task is over
    NOT_EXECUTED  definitively not executed, and still wanted: the same key may be sent again later
    UNKNOWN       anything else: the call may have reached the provider
    """

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NOT_EXECUTED = "not_executed"
    UNKNOWN = "unknown"


class Alarm(StrEnum):
    """What an operator must hear about beside the outcome."""

    PAUSE_ENVIRONMENT = "pause_environment"
    INCONSISTENT_REPLY = "inconsistent_reply"
    IDENTITY_BROKEN = "identity_broken"
    CONFIGURATION = "configuration"


@dataclass(frozen=True)
class Reply:
    """The verdict on one provider call, with the facts it rests on; carries no secret and no message text.

    `reason` is a short stable word for people and audit ("read_timeout", "charge_disputed", "http_500").
    `kept` says that the provider keeps this answer under the idempotency key, so that it speaks for
    every attempt with that key (RELIABILITY §0, 1). `retry_after_seconds` is set for NOT_EXECUTED.
    """

    outcome: Outcome
    reason: str
    http_status: int | None = None
    provider_request_id: str | None = None
    refund: ProviderRefund | None = None
    replayed: bool = False
    kept: bool = False
    alarm: Alarm | None = None
    retry_after_seconds: int = 0
