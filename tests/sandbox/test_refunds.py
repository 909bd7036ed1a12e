"""What the twin accepts and refuses, and what becomes of a refund."""

from typing import Any

import pytest
import stripe
from stripe.params import RefundCreateParams

from adapters.sandbox.disputes import RACE_SECONDS
from adapters.sandbox.refunds import LATE_SECONDS
from tests.sandbox.conftest import MakeClient
from tests.twin import Twin


def refund(client: stripe.StripeClient, payment: str, amount: int | None = None) -> stripe.Refund:
    params: RefundCreateParams = {"payment_intent": payment}
    if amount is not None:
        params["amount"] = amount
    return client.v1.refunds.create(params)


def refused(client: stripe.StripeClient, payment: str, amount: int | None = None) -> Any:
    """The error object of a refund that is refused with 400."""
    with pytest.raises(stripe.InvalidRequestError) as caught:
        refund(client, payment, amount)
    assert caught.value.http_status == 400
    return caught.value.error


def charge_of(client: stripe.StripeClient, payment: str) -> Any:
    intent = client.v1.payment_intents.retrieve(payment, {"expand": ["latest_charge.refunds"]})
    return intent.latest_charge


def test_a_refund_names_its_charge_and_its_payment(twin: Twin, client: stripe.StripeClient) -> None:
    made = refund(client, twin.payment(5000, customer="cus_1"), 700)
    assert (made.amount, made.currency, made.status) == (700, "usd", "succeeded")
    assert made.id.startswith("re_sandbox_")
    assert str(made.charge).startswith("ch_sandbox_")
    assert str(made.payment_intent).startswith("pi_sandbox_")
    assert made["customer"] == "cus_1"


def test_without_an_amount_the_remainder_is_refunded(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment(5000)
    refund(client, payment, 1500)
    assert refund(client, payment).amount == 3500
    assert charge_of(client, payment).refunded is True


def test_more_than_the_charge_is_refused_without_a_code(twin: Twin, client: stripe.StripeClient) -> None:
    error = refused(client, twin.payment(1000), 1100)
    assert (error.code, error.param) == (None, "amount")
    assert error.message == "Refund amount ($11.00) is greater than charge amount ($10.00)"


def test_more_than_the_remainder_is_refused_without_a_code(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment(1000)
    refund(client, payment, 500)
    error = refused(client, payment, 600)
    assert (error.code, error.param) == (None, "amount")
    assert error.message == "Refund amount ($6.00) is greater than unrefunded amount on charge ($5.00)"


@pytest.mark.parametrize("card", ["pm_card_visa", "pm_card_pendingRefund", "pm_sandbox_konbini"])
def test_the_ceiling_counts_succeeded_pending_and_waiting_refunds(
    twin: Twin, client: stripe.StripeClient, card: str
) -> None:
    payment = twin.payment(1000, card=card)
    refund(client, payment, 1000)
    assert refused(client, payment, 1).code == "charge_already_refunded"


def test_a_failed_refund_gives_its_money_back_to_the_ceiling(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment(1000, card="pm_card_refundFail")
    refund(client, payment)
    twin.advance(LATE_SECONDS)
    charge = charge_of(client, payment)
    assert (charge.amount_refunded, charge.refunded) == (0, False)
    assert refund(client, payment).amount == 1000


def test_a_pending_refund_succeeds_later(twin: Twin, client: stripe.StripeClient) -> None:
    made = refund(client, twin.payment(card="pm_card_pendingRefund"), 700)
    assert (made.status, made.pending_reason, made.balance_transaction) == ("pending", "processing", None)
    twin.advance(LATE_SECONDS)
    later = client.v1.refunds.retrieve(made.id, {"expand": ["balance_transaction"]})
    assert later.status == "succeeded"
    assert "pending_reason" not in later
    assert later["balance_transaction"]["amount"] == -700


def test_a_succeeded_refund_can_fail_later(twin: Twin, client: stripe.StripeClient) -> None:
    made = refund(client, twin.payment(card="pm_card_refundFail"), 700)
    assert made.status == "succeeded"
    twin.advance(LATE_SECONDS)
    later = client.v1.refunds.retrieve(made.id)
    assert (later.status, later.failure_reason) == ("failed", "expired_or_canceled_card")
    assert str(later.failure_balance_transaction).startswith("txn_sandbox_")


def test_a_waiting_refund_can_be_canceled(twin: Twin, client: stripe.StripeClient) -> None:
    made = refund(client, twin.payment(card="pm_sandbox_konbini"), 700)
    assert made.status == "requires_action"
    assert made.id.startswith("pyr_sandbox_")
    canceled = client.v1.refunds.cancel(made.id)
    assert (canceled.status, canceled.failure_reason) == ("canceled", "merchant_request")


def test_a_waiting_refund_can_expire(twin: Twin, client: stripe.StripeClient) -> None:
    made = refund(client, twin.payment(card="pm_sandbox_konbini"), 700)
    assert client.v1.test_helpers.refunds.expire(made.id).status == "failed"


def test_a_succeeded_refund_cannot_be_canceled(twin: Twin, client: stripe.StripeClient) -> None:
    made = refund(client, twin.payment(), 700)
    with pytest.raises(stripe.InvalidRequestError, match="Canceling this refund is unsupported"):
        client.v1.refunds.cancel(made.id)
    assert client.v1.refunds.retrieve(made.id).status == "succeeded"


@pytest.mark.parametrize(
    ("status", "is_refundable"),
    [("needs_response", False), ("lost", False), ("won", True), ("warning_needs_response", True)],
)
def test_a_dispute_decides_whether_a_refund_is_possible(
    twin: Twin, client: stripe.StripeClient, status: str, is_refundable: bool
) -> None:
    payment = twin.payment()
    twin.dispute(payment, status)
    if is_refundable:
        assert refund(client, payment, 100).status == "succeeded"
    else:
        assert refused(client, payment, 100).code == "charge_disputed"


def test_a_card_can_bring_its_own_dispute(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment(card="pm_card_createDispute")
    assert refused(client, payment).code == "charge_disputed"


@pytest.mark.parametrize(("age", "status"), [(RACE_SECONDS - 1, "failed"), (RACE_SECONDS + 1, "succeeded")])
def test_a_refund_just_before_a_chargeback_fails(
    twin: Twin, client: stripe.StripeClient, age: int, status: str
) -> None:
    payment = twin.payment()
    made = refund(client, payment, 700)
    # A second more or less may pass by itself; the ages stay on their sides of the border.
    twin.advance(age - 10 if status == "failed" else age)
    twin.dispute(payment, "needs_response")
    later = client.v1.refunds.retrieve(made.id)
    assert later.status == status
    assert later.to_dict().get("failure_reason") == (
        "charge_for_pending_refund_disputed" if status == "failed" else None
    )


def test_an_uncaptured_payment_is_canceled_instead(twin: Twin, client: stripe.StripeClient) -> None:
    intent = client.v1.payment_intents.create(
        {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True, "capture_method": "manual"}
    )  # fmt: skip
    assert (intent.status, intent.amount_capturable) == ("requires_capture", 2000)
    assert "uncaptured Charge" in refused(client, intent.id).message
    assert client.v1.payment_intents.cancel(intent.id).status == "canceled"
    assert [found.balance_transaction for found in charge_of(client, intent.id).refunds.data] == [None]
    assert twin.writes(intent.id) == []


def test_the_ceiling_is_what_was_captured(client: stripe.StripeClient) -> None:
    intent = client.v1.payment_intents.create(
        {"amount": 2000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True, "capture_method": "manual"}
    )  # fmt: skip
    captured = client.v1.payment_intents.capture(intent.id, {"amount_to_capture": 1500})
    assert (captured.status, captured.amount_received) == ("succeeded", 1500)
    assert refused(client, intent.id, 1501).param == "amount"
    assert refund(client, intent.id).amount == 1500


def test_a_payment_that_nobody_paid_has_nothing_to_refund(client: stripe.StripeClient) -> None:
    intent = client.v1.payment_intents.create({"amount": 2000, "currency": "usd"})
    assert intent.status == "requires_payment_method"
    assert "does not have a successful charge to refund" in refused(client, intent.id).message


def test_each_named_key_opens_its_own_account(twin: Twin, make_client: MakeClient) -> None:
    payment = twin.payment(account="acct_sandbox_two")
    theirs, ours = make_client("sk_test_accttwo_x"), make_client("rk_test_anything")
    assert theirs.v1.accounts.retrieve_current().id == "acct_sandbox_two"
    assert ours.v1.accounts.retrieve_current().id == "acct_sandbox_default"
    assert theirs.v1.payment_intents.retrieve(payment).livemode is False
    with pytest.raises(stripe.InvalidRequestError) as caught:
        ours.v1.payment_intents.retrieve(payment)
    assert caught.value.http_status == 404


@pytest.mark.parametrize("key", ["sk_live_1234567", "nonsense", "pk_test_123456789"])
def test_only_secret_test_keys_are_accepted(make_client: MakeClient, key: str) -> None:
    with pytest.raises(stripe.AuthenticationError) as caught:
        make_client(key).v1.balance.retrieve()
    assert caught.value.request_id is None
    assert "123456789" not in str(caught.value)


def test_connected_accounts_are_refused(make_client: MakeClient) -> None:
    client = make_client(stripe_account="acct_123")
    with pytest.raises(stripe.PermissionError) as caught:
        client.v1.balance.retrieve()
    assert caught.value.http_status == 403


def test_the_balance_is_in_test_mode_and_adds_up(twin: Twin, client: stripe.StripeClient) -> None:
    refund(client, twin.payment(5000), 700)
    balance = client.v1.balance.retrieve()
    assert balance.livemode is False
    assert [(found.currency, found.amount) for found in balance.available] == [("usd", 4300)]
