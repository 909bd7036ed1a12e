"""Objects by id, or Stripe's 404 with the ``param`` it names (INDEX.md, 3)."""

from adapters.sandbox import errors
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work


def intent_of(work: Work, intent_id: str) -> Document:
    """The payment intent."""
    return _found(work.account.payment_intents.get(intent_id), "payment_intent", intent_id, "intent")


def charge_of(work: Work, charge_id: str) -> Document:
    """The charge."""
    return _found(work.account.charges.get(charge_id), "charge", charge_id, "id")


def refund_of(work: Work, refund_id: str) -> Document:
    """The refund."""
    return _found(work.account.refunds.get(refund_id), "refund", refund_id, "id")


def dispute_of(work: Work, dispute_id: str) -> Document:
    """The dispute."""
    return _found(work.account.disputes.get(dispute_id), "dispute", dispute_id, "dispute")


def event_of(work: Work, event_id: str) -> Document:
    """The event."""
    return _found(work.account.events.get(event_id), "event", event_id, "id")


def endpoint_of(work: Work, endpoint_id: str) -> Document:
    """The webhook endpoint."""
    return _found(work.account.webhook_endpoints.get(endpoint_id), "webhook endpoint", endpoint_id, "id")


def _found(document: Document | None, kind: str, identifier: str, param: str) -> Document:
    if document is None:
        raise errors.missing(kind, identifier, param=param)
    return document
