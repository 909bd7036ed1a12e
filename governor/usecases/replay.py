"""The answer to a refund request, and what a repeated operation key gets."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.admission import Ask
from governor.domain.canonical import digest
from governor.domain.errors import Invalid
from governor.domain.requests import RefundRequest
from governor.usecases.operations import asked_of


@dataclass(frozen=True)
class Answer:
    """A request as it stands now. `replayed` says that this key had named it before."""

    request: RefundRequest
    replayed: bool


def fingerprint(ask: Ask, expected_refundable: int | None) -> str:
    """What makes two requests with one key the same intent: the canonical form of everything asked."""
    return digest({**asked_of(ask), "expected_refundable": expected_refundable})


def replay(known: RefundRequest, asked: str) -> Answer:
    """The request that the key already names, as it is now, a denial included.

    Raises:
        Invalid: `idempotency_key_reused` when something else is asked under the same key.
    """
    if known.fingerprint != asked:
        raise Invalid("idempotency_key_reused", "This key already names another intent; use a new one.")
    return Answer(known, replayed=True)
