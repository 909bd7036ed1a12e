"""Every third-party recording of Stripe, answered to our own calls, with what it must prove beside it."""

from __future__ import annotations

import pytest

from adapters.stripe.access import StripeAccess
from adapters.stripe.provider import StripeProvider
from governor.domain.errors import GovernorError, Unavailable
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.payments import Dispute, PaymentMethod
from tests.sandbox.recorded import names, recording
from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import NOW
from tests.stripe.played import Json, Turn, as_list, as_payment, as_reply, as_reply_to_us, order_of, play

S, N, E, U = Outcome.ACCEPTED, Outcome.REJECTED, Outcome.NOT_EXECUTED, Outcome.UNKNOWN
NO_PROOF = (U, "refused_without_proof")
ANOTHER = (U, "refund_of_another_order")

# fmt: off
REFUNDS = [
    # answers to other people's refunds: as ours they are accepted, as theirs they are not the order we gave
    "giftbit-refund-full-2018",
    "gumroad-connect-destination-refund-partial-reverse-transfer",
    "gumroad-connect-destination-refund-remaining",
    "gumroad-connect-direct-charge-refund-stripe-account",
    "gumroad-refund-full-usd-2023-10-16-feb2025",
    "gumroad-refund-full-usd-2023-10-16-oct2023",
    "gumroad-refund-partial-second-same-amount",
    "gumroad-refund-reason-fraudulent-2020-08-27",
    "liberapay-refund-partial-eur-deterministic-idempotency-key",
    "ofn-connect-legacy-charge-refunds-aud-expand-charge",
    "openedx-refund-full-by-payment-intent-2022",
    "pay-refund-partial-first-2025-10-29-clover",
    "saleor-app-refund-full-pln",
    "saleor-app-refund-partial-pln",
    "spree-refund-by-payment-intent-usd",
    "stripe-world-refund-after-dispute-won",
    "stripe-world-refund-by-payment-intent-dahlia",
    "stripe-world-refund-metadata-update",
    "stripe-world-refund-partial-first-dahlia",
    "stripe-world-refund-remainder-no-amount-dahlia",
]

REFUSALS = {
    # recording,                                                  with what only the recorder lost,     as it stands
    "activemerchant-error-already-refunded-2015":                 (NO_PROOF,                             NO_PROOF),
    "gumroad-error-429-lock-timeout-post":                        ((E, "lock_timeout"),                  (E, "lock_timeout")),
    "gumroad-error-already-refunded-no-amount":                   ((N, "charge_already_refunded"),       (N, "charge_already_refunded")),
    "gumroad-error-already-refunded-with-amount":                 ((N, "charge_already_refunded"),       (N, "charge_already_refunded")),
    "gumroad-error-amount-greater-than-charge":                   ((N, "amount_refused"),                (N, "amount_refused")),
    "gumroad-error-amount-negative":                              ((N, "parameter_invalid_integer"),     (N, "parameter_invalid_integer")),
    "gumroad-error-charge-disputed":                              ((N, "charge_disputed"),               (N, "charge_disputed")),
    "issue-error-insufficient-balance-for-refund":                (NO_PROOF,                             NO_PROOF),
    "issue-error-jpy-amount-greater-than-charge":                 ((N, "amount_refused"),                NO_PROOF),
    "issue-error-rate-limit-2015":                                ((E, "rate_limited"),                  (E, "rate_limited")),
    "issue-idempotency-error-other-endpoint":                     (NO_PROOF,                             NO_PROOF),
    "issue-idempotency-error-same-key-different-params":          (NO_PROOF,                             NO_PROOF),
    "liberapay-idempotent-replay-customer":                       ((U, "reply_without_refund"),          (U, "reply_without_refund")),
    "rigorrun-error-amount-not-integer":                          ((N, "parameter_invalid_integer"),     NO_PROOF),
    "rigorrun-idempotency-error-different-parameters":            ((U, "idempotency_error"),             (U, "idempotency_error")),
    "rigorrun-idempotency-refusal-first":                         ((N, "charge_already_refunded"),       NO_PROOF),
    "saleor-app-error-401-invalid-key-post-with-idempotency-key": ((E, "unauthorized"),                  (E, "unauthorized")),
    "stripe-ruby-mock-refund-2014-08-04":                         ((S, "refund_status_unknown"),         ANOTHER),
    "stripe-world-error-already-refunded-dahlia":                 ((N, "charge_already_refunded"),       NO_PROOF),
    "stripe-world-error-cancel-succeeded-refund":                 (NO_PROOF,                             NO_PROOF),
    "stripe-world-error-charge-disputed-dahlia":                  ((N, "charge_disputed"),               NO_PROOF),
    "stripe-world-error-no-charge-nor-intent":                    (NO_PROOF,                             NO_PROOF),
    "stripe-world-error-uncaptured-charge":                       (NO_PROOF,                             NO_PROOF),
    "stripe-world-error-unknown-charge-on-refund-create":         ((N, "resource_missing"),              NO_PROOF),
}

LISTS = {
    # recording (a refund is shown as a list of one),             what we read
    "activemerchant-auto-refund-of-canceled-uncaptured-gbp-2019": (2020, "gbp", "succeeded"),
    "gumroad-event-charge-refund-updated-acquirer-reference":     (1700, "usd", "succeeded"),
    "gumroad-refund-retrieve-expand-balance-transaction":         (4000, "usd", "succeeded"),
    "matters-refund-failed-hkd":                                  (10000, "hkd", "failed"),
    "rigorrun-refund-list-page-2":                                (2500, "usd", "succeeded"),
    "subhub-template-charge-refund-updated-2018-02-06":           (100, "usd", "succeeded"),
    "zulip-event-charge-refund-updated-failed-inr":               (30000000, "inr", "failed"),
}

UNREADABLE_LISTS = [
    "interlock-refund-list-failed-after-chargeback",  # its publisher left the currency out
    "rigorrun-refund-list-page-1",  # there is a second page, and here it is missing; below, both are there
]

OPEN, LOST, WON, INQUIRY, NONE = Dispute.OPEN, Dispute.LOST, Dispute.WON, Dispute.INQUIRY, Dispute.NONE
PAYMENTS = {
    # recording                                                   captured, currency, dispute, live, refunds seen
    "commitchange-event-charge-dispute-created":                  (5000, "usd", OPEN, False, 0),
    "emfcamp-charge-after-full-refund-gbp":                       (21000, "gbp", NONE, False, 0),
    "gumroad-charge-after-second-partial-expanded-bt":            (10000, "usd", NONE, False, 0),
    "gumroad-connect-destination-payment-py-refunds-cad":         (1342, "cad", NONE, False, 1),
    "gumroad-dispute-lost":                                       (5000, "usd", LOST, False, 0),
    "gumroad-dispute-needs-response":                             (5000, "usd", OPEN, False, 0),
    "stripe-ruby-mock-event-charge-refunded-2020-08-27":          (100, "usd", NONE, False, 1),
    "stripe-world-charge-expand-refunds-after-partial-dahlia":    (5000, "usd", NONE, False, 1),
    "stripe-world-dispute-inquiry-warning-needs-response":        (5000, "usd", INQUIRY, False, 0),
    "stripe-world-dispute-list-needs-response-dahlia":            (5000, "usd", OPEN, False, 0),
    "stripe-world-dispute-won-dahlia":                            (5000, "usd", WON, False, 0),
    "webhookdb-event-charge-refunded-2022-08-01":                 (500, "usd", NONE, True, 1),
    "zulip-event-charge-dispute-closed-lost-dahlia":              (5000, "usd", LOST, False, 0),
    "zulip-event-charge-dispute-created-dahlia":                  (5000, "usd", OPEN, False, 0),
}

VISA = PaymentMethod("card", "visa", "0000")  # the collection blanked all last digits
METHODS = {
    "emfcamp-charge-after-full-refund-gbp":                       VISA,
    "gumroad-charge-after-second-partial-expanded-bt":            VISA,
    "gumroad-connect-destination-payment-py-refunds-cad":         PaymentMethod("stripe_account"),
    "stripe-ruby-mock-event-charge-refunded-2020-08-27":          VISA,
    "stripe-world-charge-expand-refunds-after-partial-dahlia":    VISA,
    "webhookdb-event-charge-refunded-2022-08-01":                 VISA,
}

UNREADABLE_PAYMENTS = {
    "activemerchant-error-5xx-api-error":                         "payment_facts_unavailable",
    "gumroad-error-429-lock-timeout-get":                         "payment_facts_unavailable",
    "gumroad-error-payment-intent-missing-get":                   "payment_not_found",
    "saleor-app-error-401-invalid-key":                           "payment_facts_unavailable",
    "saleor-error-payment-intent-missing-2019-05-16":             "payment_not_found",
    # In 2014 a charge did not say what was captured nor whether it is disputed.
    "stripe-ruby-mock-charge-before-refund-2014-08-04":           "payment_facts_unavailable",
}
# fmt: on


def provider() -> StripeProvider:
    return StripeProvider(StripeAccess("sk_test_Recorded1"), now=lambda: NOW)


def sent(name: str, turn: Turn, *, first: bool = True) -> Reply:
    with play(name, turn) as cassette:
        answer = provider().create_refund(
            order_of(recording(name)), first=first, deadline_seconds=PATIENCE_SECONDS
        )
    assert cassette.play_count == 1
    return answer


def test_every_recording_is_judged_here() -> None:
    judged = [*REFUNDS, *REFUSALS, *LISTS, *UNREADABLE_LISTS, *PAYMENTS, *UNREADABLE_PAYMENTS]
    assert recording("matters-refund-failed-hkd")
    assert sorted(judged) == sorted(names())


@pytest.mark.parametrize("name", REFUNDS)
def test_a_recorded_refund_is_accepted_if_it_is_ours_and_only_then(name: str) -> None:
    ours, theirs = sent(name, as_reply_to_us), sent(name, as_reply)
    assert (ours.outcome, ours.reason, ours.alarm) == (S, "refund_succeeded", None)
    assert (theirs.outcome, theirs.reason) == ANOTHER
    assert theirs.alarm is Alarm.INCONSISTENT_REPLY
    assert theirs.refund is not None
    assert theirs.refund.request_id is None


@pytest.mark.parametrize(("name", "expected"), REFUSALS.items(), ids=REFUSALS)
def test_a_recorded_refusal_proves(
    name: str, expected: tuple[tuple[Outcome, str], tuple[Outcome, str]]
) -> None:
    restored, bare = sent(name, as_reply_to_us), sent(name, as_reply)
    assert ((restored.outcome, restored.reason), (bare.outcome, bare.reason)) == expected
    replay = sent(name, as_reply_to_us, first=False)
    assert replay.outcome in {U, S}
    assert restored.reason == replay.reason


@pytest.mark.parametrize(("name", "expected"), LISTS.items(), ids=LISTS)
def test_a_recorded_list_is_read(name: str, expected: tuple[int, str, str]) -> None:
    with play(name, as_list):
        (refund,) = provider().list_refunds(_payment_of(recording(name)))
    assert (refund.amount_minor, refund.currency, refund.status) == expected


@pytest.mark.parametrize("name", UNREADABLE_LISTS)
def test_a_recorded_list_that_is_not_whole_is_no_list(name: str) -> None:
    with play(name, as_list), pytest.raises(Unavailable):
        provider().list_refunds(_payment_of(recording(name)))


def test_both_recorded_pages_are_read_as_one_list() -> None:
    second = as_list(recording("rigorrun-refund-list-page-2"))
    with play("rigorrun-refund-list-page-1", lambda first: [*as_list(first), *second]):
        refunds = provider().list_refunds("pi_3RRplaceholder00000000001")
    assert [refund.amount_minor for refund in refunds] == [3500, 2500]


@pytest.mark.parametrize(("name", "expected"), PAYMENTS.items(), ids=PAYMENTS)
def test_a_recorded_payment_is_read(name: str, expected: tuple[int, str, Dispute, bool, int]) -> None:
    with play(name, as_payment):
        facts = provider().read_payment("pi_1")
    seen = (facts.captured_minor, facts.currency, facts.dispute, facts.livemode, len(facts.refunds))
    assert seen == expected
    assert facts.refundable_status
    assert name not in METHODS or facts.method == METHODS[name]


@pytest.mark.parametrize(("name", "code"), UNREADABLE_PAYMENTS.items(), ids=UNREADABLE_PAYMENTS)
def test_a_recorded_payment_that_cannot_be_read_says_why(name: str, code: str) -> None:
    with play(name, as_payment), pytest.raises(GovernorError) as refusal:
        provider().read_payment("pi_1")
    assert refusal.value.code == code


def _payment_of(recorded: Json) -> str:
    body = recorded["event"]["data"]["object"] if "event" in recorded else recorded["response"]["body"]
    first = body["data"][0] if body["object"] == "list" else body
    return str(first.get("payment_intent") or "pi_1")
