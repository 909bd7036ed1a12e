"""Reports as callers see them: JSON, and CSV that a spreadsheet reads as text."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from governor.api.output import Output, Time, instant
from governor.domain.external import ExternalRefund
from governor.domain.reconciliation import Line, Planes, Report
from governor.http.spreadsheet import csv_line


class PlanesOut(Output):
    """Sums in minor units: `exposure` is what our limits say is taken, `evidence` what the provider says happened."""

    exposure: dict[str, int]
    evidence: dict[str, int]
    difference: int


class LineOut(Output):
    """One refund request, or one refund that none of ours made."""

    refund_request: str | None
    governed: bool
    refunds: list[str]
    payment: str | None
    currency: str
    state: str
    exposure: dict[str, int]
    evidence: dict[str, int]
    difference: int
    explanation: str
    explained: bool


class ReconciliationOut(Output):
    """A period on both planes. `from` is inclusive, `to` exclusive. The totals are never forced to agree."""

    environment: str
    currency: str
    since: Time = Field(alias="from")
    until: Time = Field(alias="to")
    made_at: Time
    compared_with_provider: bool
    totals: PlanesOut
    unexplained: int
    lines: list[LineOut]


class ExternalRefundOut(Output):
    """A refund that governor did not make. `capacity` is what it does with the room on the limits."""

    id: str
    governed: bool
    payment: str | None
    amount: int
    currency: str
    customer: str | None
    status: str | None
    capacity: str
    claims: str | None
    refund_request: str | None
    happened_at: Time
    seen_at: Time


class ExternalRefundsOut(Output):
    """Refunds made elsewhere, by id."""

    data: list[ExternalRefundOut]
    has_more: bool
    next_cursor: str | None


def shown_planes(planes: Planes) -> dict[str, Any]:
    """Both planes side by side."""
    return {
        "exposure": {"held": planes.held, "settled": planes.settled},
        "evidence": {"pending": planes.pending, "succeeded": planes.succeeded, "failed": planes.failed},
        "difference": planes.difference,
    }


def shown_line(line: Line) -> dict[str, Any]:
    """One line of a report."""
    return {
        "refund_request": line.request,
        "governed": line.request is not None,
        "refunds": list(line.refunds),
        "payment": line.payment,
        "currency": line.currency,
        "state": line.state,
        **shown_planes(line.planes),
        "explanation": line.explanation.value,
        "explained": line.explained,
    }


def shown_report(report: Report) -> dict[str, Any]:
    """A whole report as JSON."""
    return {
        "environment": report.environment,
        "currency": report.currency,
        "from": instant(report.since),
        "to": instant(report.until),
        "made_at": instant(report.made_at),
        "compared_with_provider": report.compared_with_provider,
        "totals": shown_planes(report.totals),
        "unexplained": report.unexplained,
        "lines": [shown_line(line) for line in report.lines],
    }


COLUMNS = (
    "refund_request governed refunds payment currency state held settled pending succeeded failed difference"
    " explanation explained"
).split()


def csv_of(report: Report) -> str:
    """The lines as CSV with a heading."""
    shown = map(shown_line, report.lines)
    rows = (one | one["exposure"] | one["evidence"] | {"refunds": " ".join(one["refunds"])} for one in shown)
    return csv_line(COLUMNS) + "".join(csv_line([row[name] for name in COLUMNS]) for row in rows)


def shown_external(refund: ExternalRefund) -> dict[str, Any]:
    """A refund made elsewhere."""
    return {
        "id": refund.id,
        "governed": False,
        "payment": refund.payment,
        "amount": refund.amount_minor,
        "currency": refund.currency,
        "customer": refund.customer,
        "status": refund.status,
        "capacity": refund.capacity.value,
        "claims": refund.claims,
        "refund_request": refund.request,
        "happened_at": instant(refund.happened_at),
        "seen_at": instant(refund.seen_at),
    }
