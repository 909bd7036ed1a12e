"""Endpoints: where messages go, how each is doing, what became of each message, and trying one again."""

from __future__ import annotations

import re

from flask import Response

from governor.console.fields import Filled, Form
from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.console.words import messages
from governor.domain.credentials import Role
from governor.domain.deliveries import DeliveryState
from governor.domain.errors import Refused
from governor.domain.messages import TYPES
from governor.http.query import matching
from governor.ports.messages import DeliveryFilter

ENDPOINTS = "/endpoints"
READERS = (Role.OPERATOR, Role.AUDITOR)
_TYPE = re.compile("|".join(map(re.escape, sorted(TYPES))))
_NOTHING = Form(())


def _list(visit: Visit) -> Response:
    see = visit.use.messages.see
    return visit.show(
        "endpoints/list.html", standing=see.all(visit.caller), passed=see.passed_over(visit.caller)
    )


def _one(visit: Visit, endpoint_id: str) -> Response:
    """The endpoint, and a page of its deliveries, newest message first."""
    health, target = visit.use.messages.see.one(visit.caller, endpoint_id)
    states = tuple(map(DeliveryState, visit.many("state", DeliveryState)))
    types = visit.many("type", matching(_TYPE))
    found = visit.use.messages.see.deliveries(
        visit.caller,
        endpoint_id,
        DeliveryFilter(states, types),
        after=visit.after,
        at_most=visit.page_size + 1,
    )
    return visit.show(
        "endpoints/one.html",
        health=health,
        target=target,
        listed=visit.listed(found, lambda delivery: delivery.message),
        chosen={"state": states[0] if states else "", "type": types[0] if types else ""},
        is_filtered=bool(states or types),
        states=list(DeliveryState),
        types=messages(TYPES),
    )


def _delivery(visit: Visit, endpoint_id: str, message_id: str) -> Response:
    return _told(visit, endpoint_id, message_id, visit.form())


def _replay(visit: Visit, endpoint_id: str, message_id: str) -> Response:
    filled = visit.form()
    try:
        filled.read()
        visit.use.messages.endpoints.replay(visit.caller, endpoint_id, message_id, filled.once)
    except Refused as refusal:
        return _told(visit, endpoint_id, message_id, filled.refused(refusal), status=422)
    return visit.go(f"{ENDPOINTS}/{endpoint_id}/deliveries/{message_id}", "It is carried there again.")


def _told(visit: Visit, endpoint_id: str, message_id: str, form: Filled, *, status: int = 200) -> Response:
    health, _ = visit.use.messages.see.one(visit.caller, endpoint_id)
    return visit.show(
        "endpoints/delivery.html",
        status=status,
        endpoint=health.endpoint,
        delivery=visit.use.messages.see.delivery(visit.caller, endpoint_id, message_id),
        form=form,
    )


_ONE = f"{ENDPOINTS}/<endpoint_id>"
_DELIVERY = f"{_ONE}/deliveries/<message_id>"

PAGES = (
    Page("GET", ENDPOINTS, _list, READERS, "Endpoints", group=Group.OPERATIONS, label="Endpoints"),
    Page(
        "GET",
        _ONE,
        _one,
        READERS,
        "Endpoint",
        query=("state", "type"),
        listing=True,
        finds=(("ep_", "endpoint_id"),),
    ),
    Page("GET", _DELIVERY, _delivery, READERS, "Delivery", form=_NOTHING),
    Page("POST", _DELIVERY, _replay, (Role.OPERATOR,), "Delivery", form=_NOTHING),
)
