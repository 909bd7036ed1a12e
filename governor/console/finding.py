"""One box that leads from any id, case or name to its page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flask import Response

from governor.console.page import EVERYONE, Page
from governor.console.request.asking import last_of_address
from governor.console.steer.agents import AGENTS
from governor.console.steer.external_refunds import ADDRESS, READERS
from governor.console.steer.members import PEOPLE
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import Invalid
from governor.domain.identity import canonical_case
from governor.domain.requests import request_of
from governor.ports.records import RequestFilter

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
    case = _case(wanted) if match is None else None
    if case is None or not _is_known(visit, case):
        yield from _of_a_name(visit, wanted)
    if case is not None:
        yield visit.address("/refund-requests", case=case)


def _case(wanted: str) -> str | None:
    try:
        return canonical_case(wanted)
    except Invalid:
        return None


def _is_known(visit: Visit, case: str) -> bool:
    """Whether anything was asked for in this case: then it is meant, whoever has the same name."""
    chosen = RequestFilter(cases=(case,))
    return bool(visit.use.queries.requests(visit.caller, chosen, after=None, at_most=1))


def _of_a_name(visit: Visit, wanted: str) -> Iterator[str]:
    """Where the name of an agent leads, or a person's login; each for whom its page is."""
    oversees = bool(visit.shell.roles & {Role.OPERATOR, Role.AUDITOR})
    name = wanted.casefold()
    if oversees or visit.caller.role is Role.AGENT:
        for agent in visit.use.see_agents.all(visit.caller):
            if agent.name.casefold() == name:
                yield visit.address(f"{AGENTS}/{agent.keys[0].credential.id}")
    if oversees:
        for _, one in visit.use.queries.credentials(visit.caller):
            if one.person is not None and one.owner.casefold() == name:
                yield visit.address(PEOPLE, person=one.person)


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
