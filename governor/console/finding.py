"""One box that leads from any id to its page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flask import Response

from governor.console.page import EVERYONE, Page
from governor.console.request.asking import last_of_address
from governor.console.steer.external_refunds import ADDRESS, READERS
from governor.console.visit import Visit
from governor.domain.errors import Invalid
from governor.domain.identity import canonical_case
from governor.domain.requests import request_of

_ID = re.compile(r"([a-z]{2,8}_)[A-Za-z0-9_]{1,120}")
_REFUND, _CHARGE = frozenset({"re_", "pyr_"}), frozenset({"ch_", "py_"})
"""What the provider calls refunds and charges: of cards, and of local methods (STRIPE.md §1)."""


def find_among(pages: tuple[Page, ...]) -> Page:
    """The page that finds things among these pages."""

    def find(visit: Visit) -> Response:
        wanted = " ".join((visit.one("q", str) or "").split())
        wanted = last_of_address(wanted) if "://" in wanted else wanted
        for address in _places(pages, visit, wanted):
            return visit.go_to(address)
        return visit.show("find.html", wanted=wanted, status=404 if wanted else 200)

    return Page("GET", "/find", find, EVERYONE, "Find", query=("q",))


def _places(pages: tuple[Page, ...], visit: Visit, wanted: str) -> Iterator[str]:
    """Where an id may lead this visitor, best first; anything that can be a case is one."""
    match = _ID.fullmatch(wanted)
    if match:
        yield from _of_the_provider(visit, match[1], wanted)
    for page in pages:
        for prefix, argument in page.finds:
            if match and match[1] == prefix and page.role_of(visit.shell.roles):
                yield address_of(page, visit, argument, wanted)
    if match and match[1] == "hold_":
        # Where the pages of holds are not for this visitor, a hold leads to the request it belongs to.
        yield visit.address(f"/refund-requests/{request_of(wanted)}")
    if match is None and wanted:
        try:
            yield visit.address("/refund-requests", case=canonical_case(wanted))
        except Invalid:
            return


def _of_the_provider(visit: Visit, prefix: str, wanted: str) -> Iterator[str]:
    """Where a name leads that the provider gave: to the request of a refund, to the requests of a charge's payment."""
    if prefix in _REFUND:
        yield from _of_refund(visit, wanted)
    if prefix == "evt_" and (matter := visit.use.browse.matter_of_event(visit.caller, wanted)):
        yield from _of_refund(visit, matter.refund) if matter.refund else ()
        if matter.payment:
            yield visit.address("/refund-requests", payment=matter.payment)
    if prefix in _CHARGE and (payment := visit.use.browse.payment_of_charge(visit.caller, wanted)):
        yield visit.address("/refund-requests", payment=payment)


def _of_refund(visit: Visit, refund: str) -> Iterator[str]:
    if request := visit.use.browse.request_of_refund(visit.caller, refund):
        yield visit.address(f"/refund-requests/{request}")
    elif visit.use.browse.external_refund(visit.caller, refund) and visit.shell.roles & {*READERS}:
        yield visit.address(ADDRESS, refund=refund)


def address_of(page: Page, visit: Visit, argument: str, value: str) -> str:
    """The address of a page for one id: in its rule, or as its filter."""
    if f"<{argument}>" in page.rule:
        return visit.address(page.rule.replace(f"<{argument}>", value))
    return visit.address(page.rule, **{argument: value})
