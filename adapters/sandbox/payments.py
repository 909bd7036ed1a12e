"""Payment intents and their charges: paid, captured, canceled."""

from collections.abc import Iterator

from adapters.sandbox import currencies, disputes, documents, events, lists
from adapters.sandbox.cards import card_named
from adapters.sandbox.errors import Refusal
from adapters.sandbox.lookups import intent_of
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work
from adapters.sandbox.world import new_id

_CARRIED = (
    "application_fee_amount",
    "customer",
    "description",
    "metadata",
    "on_behalf_of",
    "payment_method",
    "transfer_data",
)
_UNPAID = ("requires_payment_method", "requires_confirmation")
_CANCELABLE = (*_UNPAID, "requires_capture")


def create(work: Work, sent: Document) -> Document:
    """A payment intent; paid at once with ``confirm`` and a test card. Amount in minor units.

    Raises:
        Refusal: for an unknown currency or card, or an amount the currency cannot have.
    """
    currency = sent["currency"].lower()
    currencies.check_amount(sent["amount"], currency)
    given = {name: sent[name] for name in _CARRIED if name in sent}
    if "payment_method" in given:
        card_named(given["payment_method"])
        given["status"] = "requires_confirmation"
    intent = documents.payment_intent(
        amount=sent["amount"],
        currency=currency,
        now=work.now,
        capture_method=sent.get("capture_method", "automatic"),
        given=given,
    )
    work.account.payment_intents.put(intent["id"], intent)
    events.announce(work, "payment_intent.created", intent)
    return confirm(work, intent["id"], {}) if sent.get("confirm") else intent


def confirm(work: Work, intent_id: str, sent: Document) -> Document:
    """Pays the intent with its test card, or with the one sent."""
    intent = intent_of(work, intent_id)
    name = sent.get("payment_method", intent["payment_method"])
    _expect(intent, _UNPAID, "confirm")
    if name is None:
        message = "You cannot confirm this PaymentIntent because it's missing a payment method."
        raise Refusal(400, message, code="payment_intent_unexpected_state")
    card = card_named(name)
    captured = intent["capture_method"] != "manual"
    paid_with = {
        **intent,
        "payment_method": new_id("pm"),
        "payment_method_types": [card.method_type],
    }
    charge = documents.charge(paid_with, now=work.now, method=card.details, captured=captured)
    work.account.cards.put(charge["id"], {"card": name})
    work.account.charges.put(charge["id"], charge)
    if captured:
        charge = _book(work, charge, charge["amount"])
    events.announce(work, "charge.succeeded", charge)
    state = {"status": "succeeded", "amount_received": charge["amount"]}
    held = {"status": "requires_capture", "amount_capturable": charge["amount"]}
    intent = work.account.payment_intents.put(
        intent_id, {**paid_with, "latest_charge": charge["id"], **(state if captured else held)}
    )
    kind = "payment_intent.succeeded" if captured else "payment_intent.amount_capturable_updated"
    events.announce(work, kind, intent)
    if card.disputed:
        disputes.move(work, charge["id"], "needs_response")
    return intent


def capture(work: Work, intent_id: str, sent: Document) -> Document:
    """Takes the held money, or ``amount_to_capture`` (minor units) of it."""
    intent = intent_of(work, intent_id)
    _expect(intent, ("requires_capture",), "capture")
    amount: int = sent["amount_to_capture"] if "amount_to_capture" in sent else intent["amount_capturable"]
    currencies.check_amount(amount, intent["currency"])
    if amount > intent["amount_capturable"]:
        message = "The amount to capture is greater than the amount that can be captured."
        raise Refusal(400, message, code="amount_too_large", param="amount_to_capture")
    charge = work.account.charges[intent["latest_charge"]]
    charge = _book(work, {**charge, "captured": True, "amount_captured": amount}, amount)
    events.announce(work, "charge.captured", charge)
    intent = work.account.payment_intents.change(
        intent_id, {"status": "succeeded", "amount_received": amount, "amount_capturable": 0}
    )
    events.announce(work, "payment_intent.succeeded", intent)
    return intent


def cancel(work: Work, intent_id: str, sent: Document) -> Document:
    """Gives up an intent that is not captured; a held charge is let go without any money moving."""
    intent = intent_of(work, intent_id)
    _expect(intent, _CANCELABLE, "cancel")
    if intent["latest_charge"] is not None:
        _let_go(work, work.account.charges[intent["latest_charge"]])
    fields = {
        "status": "canceled",
        "amount_capturable": 0,
        "canceled_at": work.now,
        "cancellation_reason": sent.get("cancellation_reason"),
    }
    intent = work.account.payment_intents.change(intent_id, fields)
    events.announce(work, "payment_intent.canceled", intent)
    return intent


def listed(work: Work, sent: Document) -> Document:
    """``GET /v1/payment_intents``."""
    wanted = {name: sent[name] for name in ("customer",) if name in sent}
    rows = _matching(work.account.payment_intents.newest_first(), wanted)
    return lists.page(rows, sent, "/v1/payment_intents")


def charges_listed(work: Work, sent: Document) -> Document:
    """``GET /v1/charges``."""
    wanted: Document = {name: sent[name] for name in ("customer", "payment_intent") if name in sent}
    rows = _matching(work.account.charges.newest_first(), wanted)
    return lists.page(rows, sent, "/v1/charges")


def _matching(rows: Iterator[Document], wanted: Document) -> Iterator[Document]:
    return (row for row in rows if all(row[name] == value for name, value in wanted.items()))


def _expect(intent: Document, states: tuple[str, ...], verb: str) -> None:
    if intent["status"] not in states:
        message = (
            f"You cannot {verb} this PaymentIntent because it has a status of {intent['status']}."
            f" Only a PaymentIntent with one of the following statuses may do so: {', '.join(states)}."
        )
        raise Refusal(400, message, code="payment_intent_unexpected_state")


def _book(work: Work, charge: Document, amount: int) -> Document:
    """Puts the captured money into the balance."""
    kind = "charge" if charge["payment_method_details"]["type"] == "card" else "payment"
    line = documents.balance_transaction(
        amount=amount, currency=charge["currency"], now=work.now, kind=kind, source=charge["id"]
    )
    work.account.balance_transactions.put(line["id"], line)
    return work.account.charges.put(charge["id"], {**charge, "balance_transaction": line["id"]})


def _let_go(work: Work, charge: Document) -> None:
    """A released authorisation: a succeeded refund without a balance transaction (INDEX.md, 19).

    No money moved, so it is no entry of ``/_sandbox/writes``.
    """
    refund = documents.refund(
        charge,
        amount=charge["amount"],
        now=work.now,
        status="succeeded",
        given={"reason": "requested_by_customer"},
    )
    work.account.add_refund(refund)
    charge = work.account.charges.change(
        charge["id"], {"amount_refunded": charge["amount"], "refunded": True}
    )
    events.announce(work, "charge.refunded", charge, {"amount_refunded": 0, "refunded": False})
