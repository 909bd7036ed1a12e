"""How Stripe's objects look when they are new: every field the schema of 2026-10-28.endive asks for.

Pure functions: they know fields, not rules.
"""

from collections.abc import Sequence

from adapters.sandbox.shelf import Document
from adapters.sandbox.world import API_VERSION, new_id

# Fields that are there and say nothing in the twin.
_EMPTY_IN_INTENTS = (
    "application",
    "application_fee_amount",
    "automatic_payment_methods",
    "canceled_at",
    "cancellation_reason",
    "customer",
    "customer_account",
    "description",
    "last_payment_error",
    "latest_charge",
    "next_action",
    "on_behalf_of",
    "payment_method",
    "processing",
    "receipt_email",
    "review",
    "setup_future_usage",
    "shipping",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "transfer_data",
    "transfer_group",
)
_EMPTY_IN_CHARGES = (
    "application",
    "application_fee",
    "balance_transaction",
    "failure_balance_transaction",
    "failure_code",
    "failure_message",
    "receipt_email",
    "receipt_number",
    "receipt_url",
    "review",
    "shipping",
    "source",
    "source_transfer",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "transfer_group",
)
_BILLING_DETAILS: Document = {
    "address": dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state")),
    "email": None,
    "name": None,
    "phone": None,
    "tax_id": None,
}
_OUTCOME: Document = {
    "advice_code": None,
    "network_advice_code": None,
    "network_decline_code": None,
    "network_status": "approved_by_network",
    "reason": None,
    "risk_level": "normal",
    "seller_message": "Payment complete.",
    "type": "authorized",
}


def page(data: Sequence[Document], *, has_more: bool, url: str) -> Document:
    """A list object."""
    return {"object": "list", "data": list(data), "has_more": has_more, "url": url}


def payment_intent(*, amount: int, currency: str, now: int, capture_method: str, given: Document) -> Document:
    """A payment intent that nobody has paid yet; ``given`` are the caller's own fields."""
    identifier = new_id("pi")
    return {
        "id": identifier,
        "object": "payment_intent",
        "amount": amount,
        "amount_capturable": 0,
        "amount_details": {"tip": {}},
        "amount_received": 0,
        "capture_method": capture_method,
        "client_secret": f"{identifier}_secret_sandbox",
        "confirmation_method": "automatic",
        "created": now,
        "currency": currency,
        "livemode": False,
        "metadata": {},
        "payment_method_options": {},
        "payment_method_types": ["card"],
        "status": "requires_payment_method",
        **dict.fromkeys(_EMPTY_IN_INTENTS),
        **given,
    }


def charge(intent: Document, *, now: int, method: Document, captured: bool) -> Document:
    """The charge that pays the intent by this method. Charges of local methods are ``py_…``, cards' are ``ch_…``."""
    amount = intent["amount"]
    return {
        "id": new_id("ch" if method["type"] == "card" else "py"),
        "object": "charge",
        "amount": amount,
        "amount_captured": amount if captured else 0,
        "amount_refunded": 0,
        "application_fee_amount": intent["application_fee_amount"],
        "billing_details": _BILLING_DETAILS,
        "calculated_statement_descriptor": "GOVERNOR SANDBOX",
        "captured": captured,
        "created": now,
        "currency": intent["currency"],
        "customer": intent["customer"],
        "description": intent["description"],
        "disputed": False,
        "fraud_details": {},
        "livemode": False,
        "metadata": intent["metadata"],
        "on_behalf_of": intent["on_behalf_of"],
        "outcome": _OUTCOME,
        "paid": True,
        "payment_intent": intent["id"],
        "payment_method": intent["payment_method"],
        "payment_method_details": method,
        "radar_options": {},
        "refunded": False,
        "status": "succeeded",
        "transfer_data": intent["transfer_data"],
        **dict.fromkeys(_EMPTY_IN_CHARGES),
    }


def refund(charge: Document, *, amount: int, now: int, status: str, given: Document) -> Document:
    """A refund of the charge: the 18 keys recorded in 2026 (INDEX.md, 16). It has no ``livemode``."""
    is_card = charge["payment_method_details"]["type"] == "card"
    document: Document = {
        "id": new_id("re" if is_card else "pyr"),
        "object": "refund",
        "amount": amount,
        "balance_transaction": None,
        "charge": charge["id"],
        "created": now,
        "currency": charge["currency"],
        "customer": charge["customer"],
        "customer_account": None,
        "metadata": {},
        "payment_intent": charge["payment_intent"],
        "payment_method": charge["payment_method"],
        "reason": None,
        "receipt_number": None,
        "source_transfer_reversal": None,
        "status": status,
        "transfer_reversal": None,
        **given,
    }
    if is_card:
        kind = "pending" if status == "pending" else "refund"
        document["destination_details"] = {"card": card_reference(kind, "pending"), "type": "card"}
    return document


def card_reference(kind: str, status: str) -> Document:
    """What is known about the card network's own number of a refund."""
    return {"reference_status": status, "reference_type": "acquirer_reference_number", "type": kind}


def balance_transaction(*, amount: int, currency: str, now: int, kind: str, source: str) -> Document:
    """A line of the account's balance, in minor units; the twin takes no fees."""
    return {
        "id": new_id("txn"),
        "object": "balance_transaction",
        "amount": amount,
        "available_on": now,
        "balance_type": "payments",
        "created": now,
        "currency": currency,
        "description": None,
        "exchange_rate": None,
        "fee": 0,
        "fee_details": [],
        "net": amount,
        "reporting_category": kind.removeprefix("payment_"),
        "source": source,
        "status": "available",
        "type": kind,
    }


def dispute(charge: Document, *, now: int, status: str, refundable: bool) -> Document:
    """A dispute over the whole charge; ``is_charge_refundable`` is the field that counts (INDEX.md, 22)."""
    return {
        "id": new_id("du"),
        "object": "dispute",
        "amount": charge["amount"],
        "balance_transaction": None,
        "balance_transactions": [],
        "charge": charge["id"],
        "created": now,
        "currency": charge["currency"],
        "enhanced_eligibility_types": [],
        "evidence": {},
        "evidence_details": {"due_by": None, "has_evidence": False, "past_due": False, "submission_count": 0},
        "is_charge_refundable": refundable,
        "livemode": False,
        "metadata": {},
        "payment_intent": charge["payment_intent"],
        "payment_method_details": {
            "card": {"brand": "visa", "case_type": "chargeback", "network_reason_code": "10.4"},
            "type": "card",
        },
        "reason": "fraudulent",
        "status": status,
    }


def fraud_warning(charge: Document, *, now: int) -> Document:
    """A warning about a charge, with the fields that stripe-python 16.1 declares (``_early_fraud_warning.py``)."""
    return {
        "id": new_id("issfr"),
        "object": "radar.early_fraud_warning",
        "actionable": True,
        "charge": charge["id"],
        "created": now,
        "fraud_type": "unauthorized_use_of_card",
        "livemode": False,
        "payment_intent": charge["payment_intent"],
    }


def event(*, kind: str, data: Document, now: int, request: Document, pending_webhooks: int) -> Document:
    """An event; ``request`` is ``{id, idempotency_key}``, both null when nobody's call caused it."""
    return {
        "id": new_id("evt"),
        "object": "event",
        "api_version": API_VERSION,
        "created": now,
        "data": data,
        "livemode": False,
        "pending_webhooks": pending_webhooks,
        "request": request,
        "type": kind,
    }
