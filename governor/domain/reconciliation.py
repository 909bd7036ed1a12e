"""Two planes side by side: what our limits say is taken, and what the provider says happened (DESIGN §2).

They are compared line by line and never forced to agree. What differs has an explanation, or somebody must look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from governor.domain.environments import Environment
from governor.domain.evidence import Evidence, Standing, standings
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import CAPACITY, Capacity, Event, State
from governor.domain.payments import ProviderRefund
from governor.domain.requests import RefundRequest


class Explanation(StrEnum):
    """Why the planes agree on a line, or why they may differ."""

    MATCHES = "matches"
    OVERRUN = "overrun"
    REVERSED = "reversed"
    NOT_SENT = "not_sent"
    IN_DOUBT = "in_doubt"
    MANUAL = "manual"
    UNGOVERNED = "ungoverned"
    BEFORE_GOVERNOR = "before_governor"
    INCONSISTENT = "inconsistent"
    CLAIMS_UNKNOWN_REQUEST = "claims_unknown_request"
    NOT_IN_BOOKS = "not_in_books"
    NOT_AT_PROVIDER = "not_at_provider"
    UNEXPLAINED = "unexplained"


UNEXPLAINED = frozenset(
    {
        Explanation.INCONSISTENT,
        Explanation.CLAIMS_UNKNOWN_REQUEST,
        Explanation.NOT_IN_BOOKS,
        Explanation.NOT_AT_PROVIDER,
        Explanation.UNEXPLAINED,
    }
)
"""Somebody must look."""


@dataclass(frozen=True)
class Planes:
    """Sums in minor units. Exposure: `held` and `settled`. Evidence: `pending`, `succeeded`, and `failed` apart."""

    held: int = 0
    settled: int = 0
    pending: int = 0
    succeeded: int = 0
    failed: int = 0

    @property
    def difference(self) -> int:
        """What is taken here beyond what left, or may still leave, there. Negative: more left than is taken."""
        return self.held + self.settled - self.pending - self.succeeded

    def __add__(self, other: Planes) -> Planes:
        """Both sums together."""
        return Planes(**{name: value + getattr(other, name) for name, value in vars(self).items()})


@dataclass(frozen=True)
class Line:
    """One refund request, or one refund that none of ours made (`request` is None), on both planes."""

    request: str | None
    refunds: tuple[str, ...]
    payment: str | None
    currency: str
    state: str
    planes: Planes
    explanation: Explanation

    @property
    def explained(self) -> bool:
        """Whether nobody must look."""
        return self.explanation not in UNEXPLAINED


def line_of_request(request: RefundRequest, evidence: Iterable[Evidence]) -> Line | None:
    """A request on both planes; None when there is nothing on either."""
    stand = standings(evidence)
    capacity = CAPACITY[request.state]
    planes = Planes(
        held=request.amount_minor if capacity is Capacity.HELD else 0,
        settled=request.moved_minor if capacity is Capacity.SETTLED else 0,
        pending=_sum(stand, Event.PROVE_PENDING),
        succeeded=_sum(stand, Event.PROVE_SUCCEEDED),
        failed=_sum(stand, Event.PROVE_FAILED, Event.PROVE_REVERSED),
    )
    if planes == Planes():
        return None
    refunds = tuple(one.refund.id for one in stand)
    explanation = _explained(request, planes, stand)
    return Line(
        request.id, refunds, request.payment, request.currency, request.state.value, planes, explanation
    )


def _sum(stand: Iterable[Standing], *events: Event) -> int:
    return sum(one.refund.amount_minor for one in stand if one.event in events)


_WITHOUT_EVIDENCE: Mapping[State, Explanation] = {
    State.PENDING_APPROVAL: Explanation.NOT_SENT,
    State.QUEUED: Explanation.NOT_SENT,
    State.DISPATCHING: Explanation.IN_DOUBT,
    State.UNKNOWN: Explanation.IN_DOUBT,
}


def _explained(request: RefundRequest, planes: Planes, stand: list[Standing]) -> Explanation:
    if request.manual:
        return Explanation.MANUAL
    if not planes.pending and not planes.succeeded:
        if request.state in _WITHOUT_EVIDENCE and not stand:
            return _WITHOUT_EVIDENCE[request.state]
        back = planes.failed and not planes.held and not planes.settled
        return Explanation.REVERSED if back else Explanation.UNEXPLAINED
    expected = (request.payment, request.currency)
    if any((one.refund.payment, one.refund.currency) != expected for one in stand):
        return Explanation.INCONSISTENT
    if (planes.held, planes.settled) != (planes.pending, planes.succeeded):
        held_in_full = request.state is State.UNKNOWN and planes.difference
        return Explanation.INCONSISTENT if held_in_full else Explanation.UNEXPLAINED
    return Explanation.OVERRUN if planes.succeeded > request.amount_minor else Explanation.MATCHES


_PLANE = {Capacity.HELD: "pending", Capacity.SETTLED: "succeeded", Capacity.RELEASED: "failed"}


def line_of_external(refund: ExternalRefund, environment: Environment) -> Line:
    """A refund made elsewhere on both planes."""
    planes = Planes(**{_PLANE[refund.capacity]: refund.amount_minor})
    counted = refund.happened_under(environment)
    if counted and refund.capacity is not Capacity.RELEASED:
        planes += Planes(**{refund.capacity.value: refund.amount_minor})
    explanation = Explanation.UNGOVERNED if counted else Explanation.BEFORE_GOVERNOR
    if refund.claims is not None:
        explanation = Explanation.CLAIMS_UNKNOWN_REQUEST
    status = refund.status or "no status"
    return Line(None, (refund.id,), refund.payment, refund.currency, status, planes, explanation)


def line_not_in_books(refund: ProviderRefund) -> Line:
    """A refund that the provider lists and no book of ours knows."""
    plane = {"succeeded": "succeeded", "failed": "failed", "canceled": "failed"}.get(
        refund.status or "", "pending"
    )
    planes = Planes(**{plane: refund.amount_minor})
    status = refund.status or "no status"
    return Line(None, (refund.id,), refund.payment, refund.currency, status, planes, Explanation.NOT_IN_BOOKS)


def missing_at_provider(line: Line) -> Line:
    """The same line, of a refund that the provider's own list does not show."""
    return replace(line, explanation=Explanation.NOT_AT_PROVIDER)


@dataclass(frozen=True)
class Report:
    """A period and a currency on both planes: every line, and each plane's totals, side by side.

    A request belongs to the period in which it was made or in which the provider made its refund; a refund made
    elsewhere to the one in which it happened. `since` is inclusive, `until` exclusive, UTC.
    """

    environment: str
    currency: str
    since: datetime
    until: datetime
    made_at: datetime
    compared_with_provider: bool
    lines: tuple[Line, ...]

    @property
    def totals(self) -> Planes:
        """Each plane's sums over all lines."""
        return sum((line.planes for line in self.lines), Planes())

    @property
    def unexplained(self) -> int:
        """How many lines somebody must look at."""
        return sum(not line.explained for line in self.lines)
