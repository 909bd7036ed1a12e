"""Reports: what our limits say is taken, beside what the provider says happened; and what nobody asked us for."""

from __future__ import annotations

from flask import Response

from governor.api.call import Call, currency_code
from governor.api.responses import answer, page
from governor.api.route import Route
from governor.api.shown_reports import (
    ExternalRefundsOut,
    ReconciliationOut,
    csv_of,
    shown_external,
    shown_report,
)
from governor.domain.errors import Malformed


def _reconciliation(call: Call) -> Response:
    currency = call.one("currency", currency_code)
    if currency is None:
        raise Malformed("query_invalid", "`currency` is needed.")
    form = call.one("format", _form) or "json"
    since, until = (call.moment(name) for name in ("from", "to"))
    report = call.use.reconcile(call.caller.environment, currency, since, until, ask_provider=False)
    if form == "csv":
        name = f'attachment; filename="reconciliation-{currency}.csv"'
        return Response(csv_of(report), mimetype="text/csv", headers={"Content-Disposition": name})
    return answer(shown_report(report))


def _form(value: str) -> str:
    if value not in {"json", "csv"}:
        raise ValueError
    return value


def _external(call: Call) -> Response:
    found = call.use.queries.external_refunds(call.caller, after=call.after, at_most=call.page_size + 1)
    return page(call, found, shown_external, lambda one: one.id)


ROUTES = (
    Route(
        "GET",
        "/api/v1/reports/reconciliation",
        _reconciliation,
        "What our limits say is taken, beside what the provider says happened. `format=csv` for the lines.",
        ReconciliationOut,
        files=("text/csv",),
        query=("currency", "from", "to", "format"),
        problems=("period_empty", "report_too_long"),
    ),
    Route(
        "GET",
        "/api/v1/external-refunds",
        _external,
        "Refunds that governor did not make: they take room on the limits all the same.",
        ExternalRefundsOut,
        listing=True,
    ),
)
