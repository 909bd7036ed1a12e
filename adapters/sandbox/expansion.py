"""``expand[]``: ids replaced by the objects they name, and lists that are only there on request."""

from typing import Any

from adapters.sandbox import documents
from adapters.sandbox.errors import Refusal
from adapters.sandbox.shelf import Document
from adapters.sandbox.world import Account

# object -> field -> the object that stands there once expanded. ``list:x`` is a page of x.
_EXPANDABLE = {
    "refund": {
        "charge": "charge",
        "payment_intent": "payment_intent",
        "balance_transaction": "balance_transaction",
        "failure_balance_transaction": "balance_transaction",
    },
    "charge": {
        "payment_intent": "payment_intent",
        "balance_transaction": "balance_transaction",
        "refunds": "list:refund",
    },
    "payment_intent": {"latest_charge": "charge"},
    "dispute": {"charge": "charge", "payment_intent": "payment_intent"},
    "balance_transaction": {},
    "radar.early_fraud_warning": {"charge": "charge", "payment_intent": "payment_intent"},
    "event": {},
    "webhook_endpoint": {},
    "account": {},
    "balance": {},
}
_SHELF_OF = {
    "charge": "charges",
    "payment_intent": "payment_intents",
    "balance_transaction": "balance_transactions",
}
_DEPTH = 4
_EMBEDDED_REFUNDS = 10


def check_paths(shape: str, paths: list[str]) -> None:
    """Refuses, before anything runs, a path that this kind of answer cannot expand."""
    for path in paths:
        parts = path.split(".")
        here = shape
        for part in parts:
            below = _below(here, part)
            if below is None or len(parts) > _DEPTH:
                raise Refusal(400, f"This property cannot be expanded ({path}).", param="expand")
            here = below


def _below(shape: str, part: str) -> str | None:
    if shape.startswith("list:"):
        return shape.removeprefix("list:") if part == "data" else None
    return _EXPANDABLE[shape].get(part)


def expanded(account: Account, document: Document, paths: list[str]) -> Document:
    """A copy of the document with every path expanded."""
    for path in paths:
        document = _expand(account, document, path.split("."))
    return document


def _expand(account: Account, document: Document, parts: list[str]) -> Document:
    name, below = parts[0], parts[1:]
    if document["object"] == "list":
        data = [_expand(account, item, below) for item in document["data"]] if below else document["data"]
        return {**document, "data": data}
    found: Any = document.get(name)
    if document["object"] == "charge" and name == "refunds" and found is None:
        found = _embedded_refunds(account, document["id"])
    if isinstance(found, str):
        found = account.shelves[_SHELF_OF[_EXPANDABLE[document["object"]][name]]][found]
    if found is None:
        return document
    return {**document, name: _expand(account, found, below) if below else found}


def _embedded_refunds(account: Account, charge_id: str) -> Document:
    """The 10 newest refunds of a charge; ``total_count`` is there though undeclared (INDEX.md)."""
    refunds = account.refunds_of(charge_id)
    page = documents.page(
        refunds[:_EMBEDDED_REFUNDS],
        has_more=len(refunds) > _EMBEDDED_REFUNDS,
        url=f"/v1/charges/{charge_id}/refunds",
    )
    return {**page, "total_count": len(refunds)}
