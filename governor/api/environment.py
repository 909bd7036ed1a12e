"""The caller's own environment, and what the caller could still get in it."""

from __future__ import annotations

from flask import Response

from governor.api.call import Call, currency_code
from governor.api.inputs import AcknowledgementIn, EnvironmentIn
from governor.api.output import Output, Time
from governor.api.responses import answer, etag
from governor.api.route import Route
from governor.api.shown_requests import LimitLineOut, shown_limit_lines
from governor.api.shown_settings import EnvironmentOut, shown_environment
from governor.domain.environments import Environment
from governor.domain.errors import Malformed
from governor.domain.identity import payment_id
from governor.usecases.change_environment import EnvironmentDraft

PATH = "/api/v1/environment"


class AllowanceOut(Output):
    """What the caller could still get: the least of the payment's rest and every headroom. No promise."""

    promise: bool = False
    payment: str | None
    currency: str
    amount: int
    refundable: int | None
    at: Time
    limits: list[LimitLineOut]


def _shown(environment: Environment) -> Response:
    return answer(shown_environment(environment), headers=etag(environment.revision))


def _read(call: Call) -> Response:
    return _shown(call.use.queries.environment(call.caller))


def _replace(call: Call) -> Response:
    standing = call.use.queries.environment(call.caller)
    asked = call.body(EnvironmentIn).model_dump(exclude_none=True)
    kept = {name: getattr(standing, name) for name in EnvironmentDraft.__dataclass_fields__}
    draft = EnvironmentDraft(**kept | asked)
    return _shown(call.use.change_environment(call.caller, draft, call.revision))


def _acknowledge(call: Call) -> Response:
    reason = call.body(AcknowledgementIn).reason
    return _shown(call.use.change_environment.acknowledge(call.caller, reason))


def _allowance(call: Call) -> Response:
    currency = call.one("currency", currency_code)
    if currency is None:
        raise Malformed("query_invalid", "`currency` is needed.")
    found = call.use.queries.allowance(call.caller, call.one("payment", payment_id), currency)
    shown = AllowanceOut(
        payment=found.payment,
        currency=found.currency,
        amount=found.amount_minor,
        refundable=found.refundable_minor,
        at=found.at,
        limits=[LimitLineOut(**line) for line in shown_limit_lines(found.limits, call.caller.role)],
    )
    return answer(shown.model_dump(mode="json"))


ROUTES = (
    Route(
        "GET",
        PATH,
        _read,
        "The settings of your environment, and what stops it.",
        EnvironmentOut,
        headers=("ETag",),
    ),
    Route(
        "PUT",
        PATH,
        _replace,
        "Change the settings. Leaving observe mode enforces at once.",
        EnvironmentOut,
        body=EnvironmentIn,
        conditional=True,
        headers=("ETag",),
        problems=("precondition_required", "precondition_failed", "revision_stale", "raises_need_two"),
    ),
    Route(
        "POST",
        f"{PATH}/acknowledge",
        _acknowledge,
        "You have seen why provider writes were fenced, halted or paused; they go on. Holds in doubt stay.",
        EnvironmentOut,
        body=AcknowledgementIn,
        headers=("ETag",),
        problems=("not_stopped", "sweep_needed"),
    ),
    Route(
        "GET",
        "/api/v1/allowance",
        _allowance,
        "What you could still get of a payment, or of a currency without one.",
        AllowanceOut,
        query=("payment", "currency"),
        problems=("payment_not_found", "payment_facts_unavailable"),
    ),
)
