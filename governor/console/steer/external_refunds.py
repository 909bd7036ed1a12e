"""Refunds that governor did not make: in the provider's Dashboard, or by another program."""

from __future__ import annotations

import re

from flask import Response

from governor.console.page import Group, Page
from governor.console.visit import Listed, Visit
from governor.domain.credentials import Role
from governor.http.query import matching

ADDRESS = "/external-refunds"
READERS = (Role.OPERATOR, Role.AUDITOR)
_REFUND = re.compile(r"(?:re|pyr)_[A-Za-z0-9_]{1,120}")


def _list(visit: Visit) -> Response:
    """All of them, or the one that is asked for."""
    named = visit.one("refund", matching(_REFUND))
    if named is not None:
        one = visit.use.browse.external_refund(visit.caller, named)
        return visit.show("external_refunds.html", listed=Listed([one] if one else [], None), named=named)
    found = visit.use.queries.external_refunds(visit.caller, after=visit.after, at_most=visit.page_size + 1)
    return visit.show(
        "external_refunds.html", listed=visit.listed(found, lambda refund: refund.id), named=None
    )


PAGES = (
    Page(
        "GET",
        ADDRESS,
        _list,
        READERS,
        "Refunds made elsewhere",
        query=("refund",),
        listing=True,
        group=Group.OPERATIONS,
        label="Made elsewhere",
    ),
)
