"""The world: everything the twin knows, by account, behind one lock."""

import re
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from adapters.sandbox.clock import Clock
from adapters.sandbox.shelf import Document, Journal, Shelf
from adapters.sandbox.state_file import StateFile

API_VERSION = "2026-10-28.endive"
"""The version that stripe-python 16.1 pins (STRIPE.md §4)."""

DEFAULT_ACCOUNT = "acct_sandbox_default"

_SHELVES = (
    "payment_intents",
    "charges",
    "refunds",
    "balance_transactions",
    "disputes",
    "fraud_warnings",
    "events",
    "webhook_endpoints",
    "cards",  # charge id -> the test card that paid it
    "outcomes",  # refund changes that are still to come
    "writes",  # refunds really executed
    "saved_answers",  # idempotency key -> the first answer
    "key_uses",  # idempotency key -> how often it was seen
)
_NAMED_ACCOUNT = re.compile(r"(?:sk|rk)_test_acct([A-Za-z0-9]+)_")


def account_of_key(key: str) -> str:
    """The account a test key belongs to.

    ``sk_test_acctX_…`` names the account ``acct_sandbox_X``; every other test key belongs to the default
    account, which the control side uses too.
    """
    named = _NAMED_ACCOUNT.match(key)
    return f"acct_sandbox_{named.group(1)}" if named else DEFAULT_ACCOUNT


def new_id(prefix: str) -> str:
    """A fresh id that says where it comes from: ``re_sandbox_…``."""
    return f"{prefix}_sandbox_{secrets.token_hex(10)}"


class Account:
    """One Stripe account: its shelves, and which refunds each charge has."""

    def __init__(self, identifier: str, journal: Journal) -> None:
        self.id = identifier
        self.shelves = {name: Shelf(f"{identifier}/{name}", journal) for name in _SHELVES}
        self.payment_intents = self.shelves["payment_intents"]
        self.charges = self.shelves["charges"]
        self.refunds = self.shelves["refunds"]
        self.balance_transactions = self.shelves["balance_transactions"]
        self.disputes = self.shelves["disputes"]
        self.fraud_warnings = self.shelves["fraud_warnings"]
        self.events = self.shelves["events"]
        self.webhook_endpoints = self.shelves["webhook_endpoints"]
        self.cards = self.shelves["cards"]
        self.outcomes = self.shelves["outcomes"]
        self.writes = self.shelves["writes"]
        self.saved_answers = self.shelves["saved_answers"]
        self.key_uses = self.shelves["key_uses"]
        self._refunds_of_charge: dict[str, list[str]] = {}

    def add_refund(self, refund: Document) -> None:
        """Puts a new refund on its shelf and under its charge."""
        self.refunds.put(refund["id"], refund)
        self._refunds_of_charge.setdefault(refund["charge"], []).append(refund["id"])

    def restore(self, shelf: str, identifier: str, document: Document) -> None:
        """Puts back one document of the state file."""
        self.shelves[shelf].restore(identifier, document)
        if shelf == "refunds":
            self._refunds_of_charge.setdefault(document["charge"], []).append(identifier)

    def refunds_of(self, charge_id: str) -> list[Document]:
        """The refunds of a charge, newest first."""
        return [self.refunds[found] for found in reversed(self._refunds_of_charge.get(charge_id, []))]


class World:
    """All accounts, the clock and what is under way. Everything in it is guarded by ``change``."""

    def __init__(self, state: StateFile | None = None) -> None:
        self.clock = Clock()
        self.accounts: dict[str, Account] = {}
        self.running_keys: set[tuple[str, str]] = set()
        """``(account, idempotency key)`` of writes under way; they answer 409 to a second one."""
        self.locked_payments: set[str] = set()
        """Payment intents with a write under way; they answer ``lock_timeout`` to a second one."""
        self.due_deliveries: list[tuple[str, str, str]] = []
        """``(account, endpoint, event)`` that nobody has fetched for delivery yet."""
        self._journal = Journal()
        self._lock = threading.RLock()
        self._state = state
        if state is not None:
            self._restore(state)

    @contextmanager
    def change(self) -> Iterator[None]:
        """The one way to read or change the world: alone, and saved before anybody hears of it."""
        with self._lock:
            try:
                yield
            finally:
                changes = self._journal.take()
                if changes and self._state is not None:
                    self._state.save(changes)

    def account(self, identifier: str) -> Account:
        """The account, opened on its first use."""
        if identifier not in self.accounts:
            self.accounts[identifier] = Account(identifier, self._journal)
        return self.accounts[identifier]

    def find_payment(self, payment_id: str) -> Account | None:
        """The account that has this payment intent, or None."""
        return next((found for found in self.accounts.values() if payment_id in found.payment_intents), None)

    def payment_of(self, identifier: str) -> str | None:
        """The payment intent that a payment, charge or refund id speaks of, or None."""
        for account in self.accounts.values():
            if identifier in account.payment_intents:
                return identifier
            document = account.charges.get(identifier) or account.refunds.get(identifier)
            if document is not None:
                return str(document["payment_intent"])
        return None

    def advance(self, seconds: int) -> None:
        """Moves the clock forward, for the state file too; ValueError for a negative number."""
        self.clock.advance(seconds)
        self._journal.note(("world/clock", "offset", {"seconds": self.clock.offset_seconds}))

    def reset(self) -> None:
        """Empties the world: no account, no document, the machine's time."""
        self.accounts.clear()
        self.running_keys.clear()
        self.locked_payments.clear()
        self.due_deliveries.clear()
        self.clock.offset_seconds = 0
        self._journal.take()
        if self._state is not None:
            self._state.clear()

    def _restore(self, state: StateFile) -> None:
        for kind, identifier, document in state.load():
            owner, shelf = kind.split("/")
            if owner == "world":
                self.clock.offset_seconds = document["seconds"]
            else:
                self.account(owner).restore(shelf, identifier, document)
        for account_id, account in self.accounts.items():
            self.due_deliveries += [
                (account_id, endpoint, event["id"])
                for event in account.events.oldest_first()
                if event["pending_webhooks"]
                for endpoint, asked in account.webhook_endpoints.items()
                if {"*", event["type"]} & set(asked["enabled_events"])
            ]
