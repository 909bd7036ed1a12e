"""Disputes: the cardholder's bank takes the money back, and while it argues nothing can be refunded."""

from collections.abc import Iterator

from adapters.sandbox import documents, events, lists, refunds
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work

_REFUNDABLE = {"needs_response": False, "lost": False, "won": True, "warning_needs_response": True}
STATUSES = tuple(_REFUNDABLE)
"""The statuses the control side can order; ``warning_needs_response`` is an inquiry, which moves no money."""

RACE_SECONDS = 60
"""A refund younger than this loses the race against a chargeback and fails. Recorded: one of 5 s failed, one
of 300 s stayed (INDEX.md, 23); where the border lies is not known.
"""


def move(work: Work, charge_id: str, status: str) -> Document:
    """Opens the dispute over a charge, or brings it to ``status``."""
    charge = work.account.charges[charge_id]
    dispute = next(_of_charge(work, charge_id), None)
    if dispute is None:
        opening = "warning_needs_response" if status == "warning_needs_response" else "needs_response"
        dispute = _open(work, charge, opening)
    if dispute["status"] == status:
        return dispute
    fields: Document = {"status": status, "is_charge_refundable": _REFUNDABLE[status]}
    if status == "won":
        fields["balance_transactions"] = [*dispute["balance_transactions"], _line(work, dispute, sign=1)]
    previous = {"status": dispute["status"]}
    dispute = work.account.disputes.change(dispute["id"], fields)
    closed = status in {"won", "lost"}
    events.announce(work, f"charge.dispute.{'closed' if closed else 'updated'}", dispute, previous)
    if status == "won":
        events.announce(work, "charge.dispute.funds_reinstated", dispute)
    return dispute


def listed(work: Work, sent: Document) -> Document:
    """``GET /v1/disputes``, newest first, by ``charge``, ``payment_intent`` and ``created``."""
    wanted = {name: sent[name] for name in ("charge", "payment_intent") if name in sent}
    rows = (
        row
        for row in work.account.disputes.newest_first()
        if all(row[name] == value for name, value in wanted.items())
    )
    return lists.page(rows, sent, "/v1/disputes")


def _of_charge(work: Work, charge_id: str) -> Iterator[Document]:
    return (found for found in work.account.disputes.newest_first() if found["charge"] == charge_id)


def _open(work: Work, charge: Document, status: str) -> Document:
    refundable = _REFUNDABLE[status]
    dispute = documents.dispute(charge, now=work.now, status=status, refundable=refundable)
    if not refundable:
        line = _line(work, dispute, sign=-1)
        dispute |= {"balance_transactions": [line], "balance_transaction": line["id"]}
    work.account.disputes.put(dispute["id"], dispute)
    work.account.charges.change(charge["id"], {"disputed": True})
    events.announce(work, "charge.dispute.created", dispute)
    if not refundable:
        events.announce(work, "charge.dispute.funds_withdrawn", dispute)
        _undo_racing_refunds(work, charge["id"])
    return dispute


def _undo_racing_refunds(work: Work, charge_id: str) -> None:
    for refund in work.account.refunds_of(charge_id):
        racing = refund["status"] == "succeeded" and work.now - refund["created"] < RACE_SECONDS
        if racing or refund["status"] == "pending":
            if refund["id"] in work.account.outcomes:
                work.account.outcomes.remove(refund["id"])
            refunds.fail(work, refund["id"], "charge_for_pending_refund_disputed")


def _line(work: Work, dispute: Document, *, sign: int) -> Document:
    """The disputed money leaves the balance, or comes back."""
    line = documents.balance_transaction(
        amount=sign * dispute["amount"],
        currency=dispute["currency"],
        now=work.now,
        kind="adjustment",
        source=dispute["id"],
    )
    category = "dispute" if sign < 0 else "dispute_reversal"
    return work.account.balance_transactions.put(line["id"], {**line, "reporting_category": category})
