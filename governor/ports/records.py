"""Small records that travel through the store's port beside the domain's own values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from governor.domain.evidence import Evidence


@dataclass(frozen=True)
class Operation:
    """What a key of a decision- or settings-changing POST did: kept so that a repeat is a replay."""

    scope: str
    key: str
    fingerprint: str
    object_id: str
    status: int


@dataclass(frozen=True)
class RequestFilter:
    """Which refund requests a list shows. Repeated values of one field mean "any of them"."""

    states: tuple[str, ...] = ()
    payments: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    customers: tuple[str, ...] = ()
    requested_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class CounterRow:
    """One counter as operators see it."""

    value: str
    window_start: datetime
    settled: int
    reserved: int


@dataclass(frozen=True)
class RecordedEvidence:
    """A piece of evidence with when (UTC) and why it was recorded, for the timeline."""

    evidence: Evidence
    reason: str
    http_status: int | None
    provider_request_id: str | None
    recorded_at: datetime
