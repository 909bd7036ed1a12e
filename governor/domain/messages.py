"""What the outside is told, and which row of the audit trail tells it.

The audit trail is the outbox: its row is written in the same transaction as what it tells, so a message is about
what was committed, or there is none (RELIABILITY §3 B14). Whatever is not in `TOLD` is told to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from governor.domain.audit import Entry
from governor.domain.lifecycle import State


@dataclass(frozen=True)
class Message:
    """One thing that happened, as endpoints are told of it: which kind, to which object, when (UTC).

    `id` goes with every delivery of it, so that whoever gets it twice can tell.
    """

    environment: str
    id: str
    seq: int
    """The number of the audit row that tells it."""
    type: str
    object: str
    at: datetime


@dataclass(frozen=True)
class Telling:
    """What one audit row tells: a type of message, and about which object."""

    type: str
    object: str


Rule = Callable[[Entry], tuple[Telling, ...]]

OF_STATE: Mapping[State, str] = MappingProxyType(
    {
        State.DENIED: "refund_request.denied",
        State.PENDING_APPROVAL: "refund_request.held",
        State.QUEUED: "refund_request.queued",
        State.UNKNOWN: "refund_request.unknown",
        State.PROVIDER_PENDING: "refund_request.provider_pending",
        State.SUCCEEDED: "refund_request.succeeded",
        State.FAILED: "refund_request.failed",
        State.REVERSED: "refund_request.reversed",
        State.REJECTED: "refund_request.rejected",
        State.EXPIRED: "refund_request.expired",
        State.CANCELED: "refund_request.canceled",
    }
)
"""The message that a request has come into a state. That a worker has taken one says nothing yet."""

OVERRUN = "refund_request.overrun"
TEST = "endpoint.tested"
"""Told to the one endpoint that it is about."""


def _by_state(entry: Entry) -> tuple[Telling, ...]:
    """A request that has moved; nothing when it stays where it was."""
    before, after = entry.facts.get("from"), entry.facts.get("to")
    told = next((word for state, word in OF_STATE.items() if state.value == after), None)
    return (Telling(told, entry.object),) if told is not None and after != before else ()


def _as_it_is(entry: Entry) -> tuple[Telling, ...]:
    return (Telling(entry.action, entry.object),)


def _stopped(entry: Entry) -> tuple[Telling, ...]:
    """The environment has stopped itself; when more left than was reserved, the request is named, too."""
    reason, _, request = str((entry.facts.get("to") or {}).get("halted") or "").partition(": ")
    overrun = (Telling(OVERRUN, request),) if reason == "overrun" and request else ()
    return (*_as_it_is(entry), *overrun)


_MOVING = """
    refund_request.admitted refund_request.denied refund_request.evidence refund_request.lease_lost
    refund_request.canceled refund_request.expired hold.decided hold.taken_back
    """.split()
_TOLD_AS_THEY_ARE = """
    refund_request.returned refund_request.answered refund_request.nudged refund_request.expiring
    refund_request.escalated refund_request.parked
    refund_request.flagged refund_request.cancel_wished refund_request.resolution_contradicted
    limit.created limit.changed limit.archived limit.change_proposed limit.change_withdrawn limit.archiving_proposed
    limit.raised_by_requester
    rule.created rule.changed rule.archived
    freeze.began freeze.end_proposed freeze.ended
    environment.changed environment.acknowledged environment.fenced
    credential.created credential.rotated credential.revoked
    external_refund.noticed
    endpoint.created endpoint.rotated endpoint.disabled endpoint.enabled endpoint.deleted endpoint.tested
    """.split()

TOLD: Mapping[str, Rule] = MappingProxyType(
    {
        **dict.fromkeys(_MOVING, _by_state),
        **dict.fromkeys(_TOLD_AS_THEY_ARE, _as_it_is),
        "environment.stopped": _stopped,
    }
)
"""Audit action → what its row tells."""

TYPES = frozenset({*OF_STATE.values(), OVERRUN, *_TOLD_AS_THEY_ARE, "environment.stopped"})
"""Every type of message there is."""


def told_by(entry: Entry) -> tuple[Telling, ...]:
    """What a row of the audit trail tells the outside."""
    rule = TOLD.get(entry.action)
    return rule(entry) if rule is not None else ()
