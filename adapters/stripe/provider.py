"""`PaymentProvider` for one Stripe account in test mode."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import stripe

from adapters.stripe.events import event_from
from adapters.stripe.facts import (
    CHARGE_ID,
    PAYMENT_ID,
    charge_of,
    is_disputed,
    payment_from,
    payment_paid_by,
    refund_from,
    refunds_from,
)
from adapters.stripe.fields import UnreadableError
from adapters.stripe.lists import to_the_end
from adapters.stripe.outcomes import classify_answer, classify_failure
from governor.domain.errors import Forbidden, NotFound, Unavailable
from governor.domain.outcome import Outcome, Reply
from governor.domain.payments import PaymentFacts, ProviderRefund
from governor.ports.provider import (
    EVENT_TYPES,
    REQUEST_ID_METADATA,
    ProviderAccount,
    ProviderEvent,
    RefundOrder,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from adapters.stripe.access import StripeAccess

_KEY = re.compile(r"[!-~]{1,255}")
_METADATA_VALUE = re.compile(r"[!-~]{1,500}")
_REASONS = frozenset({None, "duplicate", "fraudulent", "requested_by_customer"})


class StripeProvider:
    """The real provider. Safe to share between threads and across forks; holds no thread of its own.

    `sweep_seconds` are for each method that lists the whole account. `now` tells the time (UTC) at which facts were read.

    Raises:
        Forbidden: `live_mode_refused` for any key but a test key. Invalid: `base_url` is no address.
    """

    def __init__(
        self, access: StripeAccess, *, now: Callable[[], datetime], sweep_seconds: float = 60.0
    ) -> None:
        self._access = access
        self._client = access.client()
        self._now = now
        self._sweep_seconds = sweep_seconds
        self._account: str | None = None

    def read_account(self) -> ProviderAccount:
        """Name the account behind the key; asked once, for a key never changes its account.

        Raises:
            Unavailable: `payment_facts_unavailable`. Forbidden: `live_mode_refused`.
        """
        if self._account is not None:
            return ProviderAccount(self._account, livemode=False)
        with self._access.within():
            account, livemode = self._ask_account()
        if livemode:
            raise Forbidden("live_mode_refused", "The provider account is in live mode.")
        return ProviderAccount(account, livemode)

    def read_payment(self, payment: str) -> PaymentFacts:
        """Read a payment, its charge, its disputes and all of its refunds: two calls, three if disputed.

        Raises:
            NotFound: `payment_not_found`. Unavailable: `payment_facts_unavailable`.
        """
        if not PAYMENT_ID.fullmatch(payment):
            raise _unknown_payment()
        with self._reading():
            return self._read_facts(payment)

    def payment_of(self, charge: str) -> str:
        """The payment that a charge paid: one call.

        Raises:
            NotFound: `payment_not_found`. Unavailable: `payment_facts_unavailable`.
        """
        if not CHARGE_ID.fullmatch(charge):
            raise _unknown_payment()
        with self._reading():
            shown = _read_or_missing(lambda: self._client.v1.charges.retrieve(charge))
            payment = payment_paid_by(shown, charge)
        if payment is None:
            raise _unknown_payment()
        return payment

    def list_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        """All refunds of a payment, newest first.

        Raises:
            Unavailable: `payment_facts_unavailable`, also when the list was not read to its end.
        """
        if not PAYMENT_ID.fullmatch(payment):
            raise _unavailable(UnreadableError("no payment id"))
        with self._reading():
            return self._all_refunds(payment)

    def list_refunds_since(self, since: datetime) -> tuple[ProviderRefund, ...]:
        """All refunds of the account created at `since` (UTC) or later, newest first, whoever made them.

        Raises:
            Unavailable: `payment_facts_unavailable`, also when the list was not read to its end.
        """
        made = {"created": {"gte": int(since.timestamp())}}
        with self._reading(self._sweep_seconds):
            return tuple(map(refund_from, to_the_end(self._client.v1.refunds.list, made)))

    def list_events_since(self, since: datetime) -> tuple[ProviderEvent, ...]:
        """All events of EVENT_TYPES created at `since` (UTC) or later, newest first.

        Raises:
            Unavailable: `payment_facts_unavailable`, also when the list was not read to its end.
        """
        told = {"created": {"gte": int(since.timestamp())}, "types": sorted(EVENT_TYPES)}
        with self._reading(self._sweep_seconds):
            return tuple(map(event_from, to_the_end(self._client.v1.events.list, told)))

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:
        """Make exactly one HTTP call and say what its reply proves (adapters.stripe.outcomes)."""
        if not _can_be_sent(order):
            return Reply(Outcome.REJECTED if first else Outcome.UNKNOWN, "order_cannot_be_sent")
        with self._access.within(deadline_seconds) as call:
            try:
                refund = self._client.v1.refunds.create(
                    _body(order), {"idempotency_key": order.idempotency_key, "max_network_retries": 0}
                )
                return classify_answer(call, refund.to_dict(), order)
            except Exception as failure:  # noqa: BLE001 - whatever it is, it is evidence: unknown by default
                return classify_failure(call, failure, first=first)

    @contextmanager
    def _reading(self, seconds: float | None = None) -> Iterator[None]:
        """Calls that read, within `seconds` in all: what could not be read is unavailable, and never half an answer."""
        with self._access.within(seconds):
            try:
                yield
            except (NotFound, Unavailable):
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, this was not read
                raise _unavailable(error) from None

    def _read_facts(self, payment: str) -> PaymentFacts:
        account = self._account or self._ask_account()[0]
        intent = self._ask_intent(payment)
        charge = charge_of(intent)
        disputes = self._all_disputes(str(charge["id"])) if charge and is_disputed(charge) else []
        return payment_from(
            intent,
            payment=payment,
            account=account,
            disputes=disputes,
            # Never skipped: whether `amount_refunded` counts pending refunds is not established (STRIPE.md §1).
            refunds=self._all_refunds(payment),
            read_at=self._now(),
        )

    def _ask_intent(self, payment: str) -> Any:  # noqa: ANN401 - JSON, which `facts` looks through
        expanded: Any = {"expand": ["latest_charge"]}
        return _read_or_missing(lambda: self._client.v1.payment_intents.retrieve(payment, expanded))

    def _ask_account(self) -> tuple[str, bool]:
        """The account's id, and whether its balance is a live one (an account object does not say)."""
        try:
            account = self._client.v1.accounts.retrieve_current().to_dict()
            balance = self._client.v1.balance.retrieve().to_dict()
            account_id, livemode = account["id"], balance["livemode"]
        except Exception as error:  # noqa: BLE001 - whatever it is, the account was not read
            raise _unavailable(error) from None
        if not isinstance(account_id, str) or not isinstance(livemode, bool):
            raise _unavailable(UnreadableError("no account or mode"))
        self._account = account_id
        return account_id, livemode

    def _all_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        pages = to_the_end(self._client.v1.refunds.list, {"payment_intent": payment})
        return refunds_from(pages, payment)

    def _all_disputes(self, charge: str) -> list[object]:
        return to_the_end(self._client.v1.disputes.list, {"charge": charge})


def _body(order: RefundOrder) -> Any:  # noqa: ANN401 - the SDK's own parameter types change with each release
    """The same bytes for every attempt, for life (invariant 5): the order of the fields is part of it."""
    reason = {"reason": order.reason} if order.reason else {}
    return {
        "payment_intent": order.payment,
        "amount": order.amount_minor,
        **reason,
        "metadata": {REQUEST_ID_METADATA: order.request_id},
    }


def _can_be_sent(order: RefundOrder) -> bool:
    """Whether the SDK would send exactly this; it checks nothing itself (STRIPE.md §4)."""
    return (
        PAYMENT_ID.fullmatch(order.payment) is not None
        and _KEY.fullmatch(order.idempotency_key) is not None
        and _METADATA_VALUE.fullmatch(order.request_id) is not None
        and type(order.amount_minor) is int
        and order.amount_minor > 0
        and order.reason in _REASONS
    )


def _read_or_missing(read: Callable[[], stripe.StripeObject]) -> Any:  # noqa: ANN401 - JSON, which `facts` looks through
    """What was named itself: only there does "missing" mean that there is no such payment."""
    try:
        return read().to_dict()
    except stripe.InvalidRequestError as error:
        if error.http_status == 404 and error.code == "resource_missing":
            raise _unknown_payment() from None
        raise


def _unknown_payment() -> NotFound:
    return NotFound("payment_not_found", "Stripe does not know this payment in this account, in test mode.")


def _unavailable(error: Exception) -> Unavailable:
    """Says in a word why. The error itself is not chained: its text is the provider's (DESIGN §3.18)."""
    status = error.http_status if isinstance(error, stripe.StripeError) else None
    word = str(error) if isinstance(error, UnreadableError) else f"http_{status}" if status else "no reply"
    return Unavailable("payment_facts_unavailable", f"The payment provider could not be read ({word}).")
