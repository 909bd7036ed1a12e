"""The situations that fixtures/cassettes/ holds: how each is arranged, and what it must prove.

What happens below HTTP (resets, lost replies, deadlines) cannot stand in a cassette: test_not_sent and
test_deadlines have it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from governor.domain.outcome import Alarm, Outcome
from governor.ports.provider import RefundOrder
from tests.stripe.places import CALL_SECONDS, DISPUTED, VISA, Place

S, N, E, U = Outcome.ACCEPTED, Outcome.REJECTED, Outcome.NOT_EXECUTED, Outcome.UNKNOWN


@dataclass(frozen=True)
class Scenario:
    """One refund call. `arrange` prepares the place and returns the order that is then sent and recorded."""

    arrange: Callable[[Place], RefundOrder]
    outcome: Outcome
    reason: str
    alarm: Alarm | None = None
    first: bool = True


def _plain(card: str = VISA, amount_minor: int = 5000) -> Callable[[Place], RefundOrder]:
    return lambda place: place.order(place.payment(amount_minor, card=card))


def _fault(kind: str) -> Callable[[Place], RefundOrder]:
    def arrange(place: Place) -> RefundOrder:
        place.fault(kind)
        return place.order(place.payment(5000))

    return arrange


def _refunded(amount_minor: int) -> Callable[[Place], RefundOrder]:
    def arrange(place: Place) -> RefundOrder:
        payment = place.payment(1000)
        place.refund_elsewhere(payment, amount_minor)
        return place.order(payment)

    return arrange


def _sent_before(
    arrange: Callable[[Place], RefundOrder], amount_minor: int = 700
) -> Callable[[Place], RefundOrder]:
    """The same key has been used before, for this amount."""

    def arrange_both(place: Place) -> RefundOrder:
        prepared = arrange(place)
        earlier = replace(prepared, amount_minor=amount_minor)
        place.provider().create_refund(earlier, first=True, deadline_seconds=CALL_SECONDS)
        return prepared

    return arrange_both


PAUSE, ODD = Alarm.PAUSE_ENVIRONMENT, Alarm.INCONSISTENT_REPLY

# fmt: off
SCENARIOS = {
    "accepted_succeeded":        Scenario(_plain(),                          S, "refund_succeeded"),
    "accepted_pending":          Scenario(_plain("pm_card_pendingRefund"),   S, "refund_pending"),
    "accepted_unknown_status":   Scenario(_fault("unknown_status"),          S, "refund_status_unknown"),
    "accepted_null_status":      Scenario(_fault("null_status"),             S, "refund_status_unknown"),
    "accepted_replay":           Scenario(_sent_before(_plain()),            S, "refund_succeeded", first=False),
    "rejected_amount":           Scenario(_refunded(400),                    N, "amount_refused"),
    "rejected_already_refunded": Scenario(_refunded(1000),                   N, "charge_already_refunded"),
    "rejected_disputed":         Scenario(_plain(DISPUTED),   N, "charge_disputed"),
    "rejected_unknown_payment":  Scenario(lambda place: place.order("pi_nobody"), N, "resource_missing", Alarm.CONFIGURATION),
    "rejected_kept_replay":      Scenario(_sent_before(_refunded(1000)),     N, "charge_already_refunded", first=False),
    "not_executed_rate_limit":   Scenario(_fault("rate_limit_429"),          E, "rate_limited"),
    "not_executed_lock_timeout": Scenario(_fault("lock_timeout_429"),        E, "lock_timeout"),
    "not_executed_unauthorized": Scenario(_fault("unauthorized_401"),        E, "unauthorized", PAUSE),
    "not_executed_forbidden":    Scenario(_fault("forbidden_403"),           E, "forbidden", PAUSE),
    "unknown_replay_refused":    Scenario(_refunded(1000),                   U, "charge_already_refunded", first=False),
    "unknown_rate_limit_replay": Scenario(_fault("rate_limit_429"),          U, "rate_limited", first=False),
    "unknown_key_in_use":        Scenario(_fault("key_in_use_409"),          U, "key_in_use"),
    "unknown_500_before":        Scenario(_fault("error_500_before"),        U, "http_500"),
    "unknown_500_after":         Scenario(_fault("error_500_after"),         U, "http_500"),
    "unknown_502_html":          Scenario(_fault("error_502_html"),          U, "http_502"),
    "unknown_503":               Scenario(_fault("error_503"),               U, "http_503"),
    "unknown_redirect":          Scenario(_fault("redirect_302"),            U, "http_302"),
    "unknown_not_json":          Scenario(_fault("not_json"),                U, "reply_not_json"),
    "unknown_not_object":        Scenario(_fault("json_not_object"),         U, "reply_not_object"),
    "unknown_missing_id":        Scenario(_fault("missing_id"),              U, "reply_without_refund", ODD),
    "unknown_other_amount":      Scenario(_fault("other_amount"),            U, "refund_of_another_order", ODD),
    "unknown_other_currency":    Scenario(_fault("other_currency"),          U, "refund_of_another_order", ODD),
    "unknown_overrun":           Scenario(_fault("overrun"),                 U, "refund_of_another_order", ODD),
    "unknown_identity_broken":   Scenario(_sent_before(_plain(), 701),       U, "idempotency_error", Alarm.IDENTITY_BROKEN, first=False),
}
# fmt: on
