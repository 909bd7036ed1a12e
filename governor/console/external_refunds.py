"""Refunds that governor did not make: in the provider's Dashboard, or by another program."""

from __future__ import annotations

from flask import Response

from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.domain.credentials import Role


def _list(visit: Visit) -> Response:
    found = visit.use.queries.external_refunds(visit.caller, after=visit.after, at_most=visit.page_size + 1)
    return visit.show("external_refunds.html", listed=visit.listed(found, lambda refund: refund.id))


PAGES = (
    Page(
        "GET",
        "/external-refunds",
        _list,
        (Role.OPERATOR, Role.AUDITOR),
        "Refunds made elsewhere",
        listing=True,
        group=Group.OPERATIONS,
        label="Made elsewhere",
    ),
)
