"""Refunds: what Stripe accepts, refuses, and changes later (STRIPE.md §1)."""

from collections.abc import Iterator

from adapters.sandbox import currencies, documents, errors, events, lists
from adapters.sandbox.cards import card_named
from adapters.sandbox.errors import Refusal
from adapters.sandbox.lookups import charge_of, intent_of, refund_of
from adapters.sandbox.parameters import merged_metadata
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work

COUNTED = frozenset({"pending", "requires_action", "succeeded"})
"""Statuses that use up what was captured; a failed or canceled refund gives it back."""

LATE_SECONDS = 30
"""When something happens to a refund by itself, counted from its creation. One number for every outcome, so
that they come due in the order in which they were expected; long enough that a test sees the first status
before it advances the clock.
"""

_CARRIED = ("instructions_email", "reason")


def create(work: Work, sent: Document, *, source: str = "api", overrun: bool = False) -> Document:
    """Executes one refund. ``amount`` in minor units; without it the whole remainder.

    ``overrun`` refunds twice the amount and asks nobody whether it fits: the fault of that name.

    Raises:
        Refusal: Stripe's reasons, in Stripe's order.
    """
    charge = _charge_to_refund(work, sent)
    remainder = charge["amount_captured"] - _committed(work, charge["id"])
    _check_refundable(work, charge, remainder)
    _check_connect(charge, sent)
    amount = sent.get("amount", remainder)
    _check_amount(charge, amount, remainder)
    card = card_named(work.account.cards[charge["id"]]["card"])
    given = {name: sent[name] for name in _CARRIED if name in sent}
    given["metadata"] = merged_metadata({}, sent.get("metadata"))
    if card.refund_status == "pending":
        given["pending_reason"] = "processing"
    if card.refund_status == "requires_action":
        given["next_action"] = {"type": "display_details", "display_details": None}
    refund = documents.refund(
        charge, amount=amount * 2 if overrun else amount, now=work.now, status=card.refund_status, given=given
    )
    work.account.add_refund(refund)
    if card.refund_status == "succeeded":
        refund = _move_money(work, refund, -refund["amount"], "balance_transaction", "refund")
    write = {"payment": charge["payment_intent"], "source": source, "idempotency_key": work.idempotency_key}
    work.account.writes.put(refund["id"], write)
    events.announce(work, "refund.created", refund)
    _recount(work, charge, announce=True)
    if card.later is not None:
        work.account.outcomes.put(refund["id"], {"change": card.later, "due": work.now + LATE_SECONDS})
    return refund


def update(work: Work, refund_id: str, sent: Document) -> Document:
    """Changes metadata, the only thing that can be changed; an empty value unsets a key."""
    refund = refund_of(work, refund_id)
    metadata = merged_metadata(refund["metadata"], sent.get("metadata"))
    if metadata == refund["metadata"]:
        return refund
    changed = {key: refund["metadata"].get(key) for key in metadata.keys() ^ refund["metadata"].keys()}
    changed |= {key: old for key, old in refund["metadata"].items() if metadata.get(key, old) != old}
    return _change(work, refund, {"metadata": metadata}, {"metadata": changed})


def cancel(work: Work, refund_id: str, _sent: Document) -> Document:
    """Cancels a refund that waits for the customer; any other one is refused without a code."""
    refund = refund_of(work, refund_id)
    if refund["status"] != "requires_action":
        raise Refusal(400, "Canceling this refund is unsupported.")
    return _give_back(work, refund, "canceled", "merchant_request")


def expire(work: Work, refund_id: str, _sent: Document) -> Document:
    """The test helper: the customer never gave bank details."""
    refund = refund_of(work, refund_id)
    if refund["status"] != "requires_action":
        raise Refusal(400, "Only refunds that require action can be expired.")
    return _give_back(work, refund, "failed", "unknown")


def succeed(work: Work, refund_id: str) -> Document:
    """A pending refund settles."""
    refund = _move_money(
        work, work.account.refunds[refund_id], -_amount_of(work, refund_id), "balance_transaction", "refund"
    )
    previous = {"status": "pending", "pending_reason": refund["pending_reason"], "balance_transaction": None}
    refund = {name: value for name, value in refund.items() if name != "pending_reason"}
    details = {"card": documents.card_reference("refund", "pending"), "type": "card"}
    return _change(work, refund, {"status": "succeeded", "destination_details": details}, previous)


def fail(work: Work, refund_id: str, reason: str) -> Document:
    """The bank, the balance or a dispute undoes the refund, even one that had succeeded."""
    return _give_back(work, work.account.refunds[refund_id], "failed", reason)


def receive_reference(work: Work, refund_id: str) -> Document:
    """The card network's number arrives: an update that changes nothing for anyone (INDEX.md, 25)."""
    refund = work.account.refunds[refund_id]
    card = {**documents.card_reference("refund", "available"), "reference": "0000000000000000"}
    details = {"card": card, "type": "card"}
    previous = {"destination_details": {"card": {"reference": None, "reference_status": "pending"}}}
    return _change(work, refund, {"destination_details": details}, previous)


def listed(work: Work, sent: Document) -> Document:
    """``GET /v1/refunds``, newest first, by ``charge``, ``payment_intent`` and ``created``."""
    charge_id = sent.get("charge")
    if "payment_intent" in sent:
        latest = intent_of(work, sent["payment_intent"])["latest_charge"]
        charge_id = latest if charge_id in {None, latest} else ""
        if latest is None:
            return lists.page([], sent, "/v1/refunds")
    rows: Iterator[Document] | list[Document] = work.account.refunds.newest_first()
    if charge_id is not None:
        rows = work.account.refunds_of(charge_id)
    return lists.page(rows, sent, "/v1/refunds")


def _charge_to_refund(work: Work, sent: Document) -> Document:
    if "charge" in sent:
        return charge_of(work, sent["charge"])
    intent = work.account.payment_intents.get(sent["payment_intent"])
    if intent is None:
        raise errors.missing("payment_intent", sent["payment_intent"], param="payment_intent")
    if intent["latest_charge"] is None:
        message = f"This PaymentIntent ({intent['id']}) does not have a successful charge to refund."
        raise Refusal(400, message)
    return work.account.charges[intent["latest_charge"]]


def _check_refundable(work: Work, charge: Document, remainder: int) -> None:
    if not charge["captured"]:
        message = (
            f"This uncaptured Charge was created by a PaymentIntent ({charge['payment_intent']}). You must"
            " cancel the PaymentIntent to reverse the authorization instead of refunding the Charge"
            " directly. For more information, see"
            " https://stripe.com/docs/payments/place-a-hold-on-a-payment-method"
        )
        raise Refusal(400, message)
    if remainder <= 0:
        message = f"Charge {charge['id']} has already been refunded."
        raise Refusal(400, message, code="charge_already_refunded")
    disputed = (found for found in work.account.disputes.oldest_first() if found["charge"] == charge["id"])
    if charge["disputed"] and not all(found["is_charge_refundable"] for found in disputed):
        message = f"Charge {charge['id']} has been charged back; cannot issue a refund."
        raise Refusal(400, message, code="charge_disputed")


def _check_connect(charge: Document, sent: Document) -> None:
    """Only a charge with a transfer or an application fee has one to give back (STRIPE.md §9)."""
    if sent.get("reverse_transfer") and charge["transfer_data"] is None:
        raise Refusal(400, f"Cannot reverse transfer on charge {charge['id']}: it has no transfer.")
    if sent.get("refund_application_fee") and charge["application_fee_amount"] is None:
        raise Refusal(400, f"Charge {charge['id']} has no application fee to refund.")
    if sent.get("currency", charge["currency"]) != charge["currency"]:
        raise Refusal(400, f"The charge is in {charge['currency']}.", param="currency")


def _check_amount(charge: Document, amount: int, remainder: int) -> None:
    """The over-refund has no code, only ``param: amount``, and two texts (INDEX.md, 1)."""
    currency = charge["currency"]
    currencies.check_amount(amount, currency)
    if amount <= remainder:
        return
    wanted, left = currencies.written(amount, currency), currencies.written(remainder, currency)
    ceiling = "charge amount" if remainder == charge["amount_captured"] else "unrefunded amount on charge"
    raise Refusal(400, f"Refund amount ({wanted}) is greater than {ceiling} ({left})", param="amount")


def _amount_of(work: Work, refund_id: str) -> int:
    return int(work.account.refunds[refund_id]["amount"])


def _committed(work: Work, charge_id: str) -> int:
    counted = (found for found in work.account.refunds_of(charge_id) if found["status"] in COUNTED)
    return sum(found["amount"] for found in counted)


def _recount(work: Work, charge: Document, *, announce: bool) -> None:
    """Brings ``amount_refunded`` up to date; a failed refund is subtracted again (STRIPE.md §1)."""
    committed = _committed(work, charge["id"])
    fields = {"amount_refunded": committed, "refunded": committed >= charge["amount_captured"]}
    previous = {name: charge[name] for name, value in fields.items() if charge[name] != value}
    charge = work.account.charges.change(charge["id"], fields)
    if announce:
        events.announce(work, "charge.refunded", charge, previous)


def _give_back(work: Work, refund: Document, status: str, reason: str) -> Document:
    previous = {"failure_reason": None, "status": refund["status"]}
    if refund["balance_transaction"] is not None:
        previous["failure_balance_transaction"] = None
        refund = _move_money(work, refund, refund["amount"], "failure_balance_transaction", "refund_failure")
    refund = {name: value for name, value in refund.items() if name not in {"pending_reason", "next_action"}}
    refund = _change(work, refund, {"status": status, "failure_reason": reason}, previous)
    _recount(work, work.account.charges[refund["charge"]], announce=False)
    if status == "failed":
        events.announce(work, "refund.failed", refund)
    return refund


def _move_money(work: Work, refund: Document, amount: int, field: str, kind: str) -> Document:
    """Books a line in the balance and links it from ``field`` of the refund."""
    line = documents.balance_transaction(
        amount=amount, currency=refund["currency"], now=work.now, kind=kind, source=refund["id"]
    )
    work.account.balance_transactions.put(line["id"], line)
    return work.account.refunds.put(refund["id"], {**refund, field: line["id"]})


def _change(work: Work, refund: Document, fields: Document, previous: Document) -> Document:
    refund = work.account.refunds.put(refund["id"], {**refund, **fields})
    for kind in ("refund.updated", "charge.refund.updated"):
        events.announce(work, kind, refund, previous)
    return refund
