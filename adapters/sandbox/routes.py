"""Stripe's side as one table: method, path, what the answer is, which parameters it takes, who does it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from adapters.sandbox import (
    account_pages,
    disputes,
    errors,
    events,
    fraud_warnings,
    lists,
    lookups,
    payments,
    refunds,
    webhook_endpoints,
)
from adapters.sandbox.errors import Refusal
from adapters.sandbox.parameters import (
    Check,
    boolean,
    hash_of_text,
    metadata,
    one_of,
    text,
    text_list,
    whole_number,
)
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work

Run: TypeAlias = Callable[[Work, str, Document], Document]
"""Does the work of a route: the id in the path (or an empty string) and the checked parameters."""

Checks: TypeAlias = Mapping[str, Check]

_MAX_AMOUNT = 999_999_999_999  # 12 digits, the most that any card takes (STRIPE.md §6)
_EXPAND: Checks = {"expand": text_list}
_REFUND: Checks = {
    **_EXPAND,
    "amount": whole_number(1),
    "charge": text,
    "currency": text,
    "instructions_email": text,
    "metadata": metadata,
    "payment_intent": text,
    "reason": one_of("duplicate", "fraudulent", "requested_by_customer"),
    "refund_application_fee": boolean,
    "reverse_transfer": boolean,
}
_METHOD: Checks = {"payment_method": text, "return_url": text, "off_session": boolean}
_INTENT: Checks = {
    **_EXPAND,
    **_METHOD,
    "amount": whole_number(1, _MAX_AMOUNT),
    "application_fee_amount": whole_number(1),
    "automatic_payment_methods": hash_of_text,
    "capture_method": one_of("automatic", "automatic_async", "manual"),
    "confirm": boolean,
    "currency": text,
    "customer": text,
    "description": text,
    "metadata": metadata,
    "on_behalf_of": text,
    "payment_method_types": text_list,
    "transfer_data": hash_of_text,
}
_ENDPOINT: Checks = {"url": text, "enabled_events": text_list, "description": text, "metadata": metadata}
_CANCELLATION: Checks = {
    **_EXPAND,
    "cancellation_reason": one_of("duplicate", "fraudulent", "requested_by_customer", "abandoned"),
}


@dataclass(frozen=True)
class Route:
    """One endpoint. ``shape`` is the object it answers with; ``list:x`` is a page of them."""

    method: str
    path: str
    shape: str
    takes: Checks
    run: Run
    requires: tuple[str, ...] = ()
    id_is: str = ""
    """A parameter that the id in the path stands for."""


def _page(**filters: Check) -> Checks:
    return {**lists.PAGE, **filters}


_ID = "([^/]+)"
ROUTES = (
    Route("GET", "/v1/account", "account", _EXPAND, lambda w, _i, _s: account_pages.account(w)),
    Route("GET", "/v1/balance", "balance", _EXPAND, lambda w, _i, _s: account_pages.balance(w)),
    Route("POST", "/v1/refunds", "refund", _REFUND, lambda w, _i, s: refunds.create(w, s)),
    Route("GET", "/v1/refunds", "list:refund", _page(charge=text, payment_intent=text), lambda w, _i, s: refunds.listed(w, s)),
    Route("GET", f"/v1/refunds/{_ID}", "refund", _EXPAND, lambda w, i, _s: lookups.refund_of(w, i)),
    Route("POST", f"/v1/refunds/{_ID}", "refund", {**_EXPAND, "metadata": metadata}, refunds.update),
    Route("POST", f"/v1/refunds/{_ID}/cancel", "refund", _EXPAND, refunds.cancel),
    Route("POST", f"/v1/test_helpers/refunds/{_ID}/expire", "refund", _EXPAND, refunds.expire),
    # The old address of a refund's birth; it still works (INDEX.md, 18).
    Route("POST", f"/v1/charges/{_ID}/refunds", "refund", _REFUND, lambda w, _i, s: refunds.create(w, s), id_is="charge"),
    Route("GET", "/v1/charges", "list:charge", _page(customer=text, payment_intent=text), lambda w, _i, s: payments.charges_listed(w, s)),
    Route("GET", f"/v1/charges/{_ID}", "charge", _EXPAND, lambda w, i, _s: lookups.charge_of(w, i)),
    Route("POST", "/v1/payment_intents", "payment_intent", _INTENT, lambda w, _i, s: payments.create(w, s), ("amount", "currency")),
    Route("GET", "/v1/payment_intents", "list:payment_intent", _page(customer=text), lambda w, _i, s: payments.listed(w, s)),
    Route("GET", f"/v1/payment_intents/{_ID}", "payment_intent", _EXPAND, lambda w, i, _s: lookups.intent_of(w, i)),
    Route("POST", f"/v1/payment_intents/{_ID}/confirm", "payment_intent", {**_EXPAND, **_METHOD}, payments.confirm),
    Route("POST", f"/v1/payment_intents/{_ID}/capture", "payment_intent", {**_EXPAND, "amount_to_capture": whole_number(1)}, payments.capture),
    Route("POST", f"/v1/payment_intents/{_ID}/cancel", "payment_intent", _CANCELLATION, payments.cancel),
    Route("GET", "/v1/disputes", "list:dispute", _page(charge=text, payment_intent=text), lambda w, _i, s: disputes.listed(w, s)),
    Route("GET", f"/v1/disputes/{_ID}", "dispute", _EXPAND, lambda w, i, _s: lookups.dispute_of(w, i)),
    Route("GET", "/v1/radar/early_fraud_warnings", "list:radar.early_fraud_warning", _page(charge=text, payment_intent=text), lambda w, _i, s: fraud_warnings.listed(w, s)),
    Route("GET", "/v1/events", "list:event", _page(type=text, types=text_list, delivery_success=boolean), lambda w, _i, s: events.listed(w, s)),
    Route("GET", f"/v1/events/{_ID}", "event", _EXPAND, lambda w, i, _s: lookups.event_of(w, i)),
    Route("POST", "/v1/webhook_endpoints", "webhook_endpoint", _ENDPOINT, lambda w, _i, s: webhook_endpoints.create(w, s), ("url", "enabled_events")),
    Route("GET", "/v1/webhook_endpoints", "list:webhook_endpoint", _page(), lambda w, _i, s: webhook_endpoints.listed(w, s)),
    Route("GET", f"/v1/webhook_endpoints/{_ID}", "webhook_endpoint", _EXPAND, lambda w, i, _s: webhook_endpoints.read(w, i)),
    Route("DELETE", f"/v1/webhook_endpoints/{_ID}", "webhook_endpoint", {}, lambda w, i, _s: webhook_endpoints.delete(w, i)),
)  # fmt: skip
_PATTERNS = [(route, re.compile(route.path)) for route in ROUTES]


def route_of(method: str, path: str) -> tuple[Route, str]:
    """The route and the id in its path.

    Raises:
        Refusal: 404 for an address that is not in the table.
    """
    for route, pattern in _PATTERNS:
        found = pattern.fullmatch(path) if route.method == method else None
        if found is not None:
            return route, found.group(1) if found.groups() else ""
    raise errors.unknown_url(method, path)


def check_present(route: Route, sent: Document) -> None:
    """Refuses a call that lacks what the route cannot do without.

    Raises:
        Refusal: ``parameter_missing``, or what Stripe says to a refund of nothing or of two things.
    """
    for name in route.requires:
        if name not in sent:
            message = f"Missing required param: {name}."
            raise Refusal(400, message, code="parameter_missing", param=name)
    if route.method == "POST" and route.takes is _REFUND:
        if "charge" not in sent and "payment_intent" not in sent:
            message = (
                "One of the following params should be provided for this request: payment_intent or charge."
            )
            raise Refusal(400, message)
        if "charge" in sent and "payment_intent" in sent:
            message = "You may only specify one of these parameters: payment_intent, charge."
            raise Refusal(400, message, code="parameters_exclusive")
