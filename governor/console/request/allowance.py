"""What a requester could still get: every limit that counts for them, in each currency."""

from __future__ import annotations

from flask import Response

from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.domain.credentials import Role


def _allowance(visit: Visit) -> Response:
    """One look per currency that has a limit here; limits of a payment, a customer or a case say so."""
    currencies = sorted(
        {limit.currency for limit in visit.use.queries.limits(visit.caller) if limit.currency}
    )
    looks = [visit.use.queries.allowance(visit.caller, None, currency) for currency in currencies]
    return visit.show("allowance.html", looks=looks)


PAGES = (
    Page(
        "GET",
        "/allowance",
        _allowance,
        (Role.AGENT,),
        "My allowance",
        group=Group.REFUNDS,
        label="My allowance",
    ),
)
