"""Endpoints: where messages go, set up by operators, and what became of each message to them."""

from __future__ import annotations

import re
from datetime import timedelta

from flask import Response

from governor.api.call import Call
from governor.api.endpoint_inputs import EndpointIn
from governor.api.power_inputs import RotationIn
from governor.api.responses import answer, page
from governor.api.route import Route
from governor.api.shown_endpoints import (
    DeliveriesOut,
    DeliveryOut,
    EndpointOut,
    EndpointsOut,
    NewEndpointOut,
    WholeEndpointOut,
    shown_delivery,
    shown_endpoint,
    shown_health,
    shown_new_endpoint,
    shown_whole_endpoint,
)
from governor.domain.deliveries import DeliveryState
from governor.domain.messages import TYPES
from governor.http.query import matching
from governor.ports.messages import DeliveryFilter
from governor.usecases.manage_endpoints import Made

COLLECTION = "/api/v1/webhook-endpoints"
ONE = f"{COLLECTION}/<endpoint_id>"
_REPLAYED = ("Idempotent-Replayed",)
_TYPE = re.compile("|".join(map(re.escape, sorted(TYPES))))


def _list(call: Call) -> Response:
    return answer({"data": [shown_health(one) for one in call.use.messages.see.all(call.caller)]})


def _create(call: Call) -> Response:
    draft = call.body(EndpointIn).draft()
    return _made(call.use.messages.endpoints.create(call.caller, draft, call.key), 201)


def _rotate(call: Call, endpoint_id: str) -> Response:
    overlap = timedelta(seconds=call.body(RotationIn).overlap_seconds)
    return _made(call.use.messages.endpoints.rotate(call.caller, endpoint_id, overlap, call.key), 200)


def _made(made: Made, status: int) -> Response:
    headers = {"Idempotent-Replayed": "true"} if made.replayed else {}
    if status == 201:
        headers["Location"] = f"{COLLECTION}/{made.endpoint.id}"
    return answer(shown_new_endpoint(made.endpoint, made.secret), status, headers)


def _read(call: Call, endpoint_id: str) -> Response:
    return answer(shown_whole_endpoint(*call.use.messages.see.one(call.caller, endpoint_id)))


def _enable(call: Call, endpoint_id: str) -> Response:
    return answer(shown_endpoint(call.use.messages.endpoints.enable(call.caller, endpoint_id)))


def _delete(call: Call, endpoint_id: str) -> Response:
    return answer(shown_endpoint(call.use.messages.endpoints.delete(call.caller, endpoint_id)))


def _test(call: Call, endpoint_id: str) -> Response:
    return answer(shown_endpoint(call.use.messages.endpoints.test(call.caller, endpoint_id, call.key)))


def _deliveries(call: Call, endpoint_id: str) -> Response:
    states = tuple(map(DeliveryState, call.many("state", DeliveryState)))
    chosen = DeliveryFilter(states, call.many("type", matching(_TYPE)))
    found = call.use.messages.see.deliveries(
        call.caller, endpoint_id, chosen, after=call.after, at_most=call.page_size + 1
    )
    return page(call, found, shown_delivery, lambda one: one.message)


def _replay(call: Call, endpoint_id: str, message_id: str) -> Response:
    messages = call.use.messages
    messages.endpoints.replay(call.caller, endpoint_id, message_id, call.key)
    return answer(shown_delivery(messages.see.delivery(call.caller, endpoint_id, message_id)))


_LOOKING = (
    Route("GET", COLLECTION, _list, "Where messages go, and how each endpoint is doing.", EndpointsOut),
    Route(
        "GET",
        ONE,
        _read,
        "One endpoint, with where it is.",
        WholeEndpointOut,
        problems=("endpoint_not_found",),
    ),
    Route(
        "GET",
        f"{ONE}/deliveries",
        _deliveries,
        "What became of the messages to an endpoint, newest message first.",
        DeliveriesOut,
        listing=True,
        query=("state", "type"),
        problems=("endpoint_not_found",),
    ),
)
_CHANGING = (
    Route(
        "POST",
        COLLECTION,
        _create,
        "A new endpoint, told what happens from now on. Its secret is in this answer and nowhere else, ever.",
        NewEndpointOut,
        statuses=(201,),
        body=EndpointIn,
        keyed=True,
        headers=("Location", *_REPLAYED),
        problems=("too_many_endpoints", "mail_not_configured"),
    ),
    Route(
        "POST",
        f"{ONE}/rotate",
        _rotate,
        "A new secret, shown once; for the overlap messages are signed with both.",
        NewEndpointOut,
        body=RotationIn,
        body_optional=True,
        keyed=True,
        headers=_REPLAYED,
        problems=("endpoint_not_found", "endpoint_has_no_secret"),
    ),
    Route(
        "POST",
        f"{ONE}/enable",
        _enable,
        "Tell a disabled endpoint what happens from now on.",
        EndpointOut,
        problems=("endpoint_not_found",),
    ),
    Route(
        "POST",
        f"{ONE}/test",
        _test,
        "Send a message of the type `endpoint.tested` to this endpoint, as all messages are sent.",
        EndpointOut,
        keyed=True,
        problems=("endpoint_not_found", "endpoint_disabled"),
    ),
    Route(
        "DELETE",
        ONE,
        _delete,
        "Tell it nothing more, and forget what opens it.",
        EndpointOut,
        problems=("endpoint_not_found",),
    ),
    Route(
        "POST",
        f"{ONE}/deliveries/<message_id>/replay",
        _replay,
        "Carry a message to the endpoint again, under the same message id.",
        DeliveryOut,
        keyed=True,
        problems=("endpoint_not_found", "delivery_not_found", "endpoint_disabled"),
    ),
)
ROUTES = (*_LOOKING, *_CHANGING)
