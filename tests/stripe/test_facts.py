"""Reading a payment: what is asked, what the facts are, and that a half-read payment is no payment."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from governor.domain.errors import Forbidden, NotFound, Unavailable
from governor.domain.payments import Dispute, PaymentFacts, PaymentMethod, ProviderRefund
from tests.stripe.bodies import NOW, STRIPE_SAYS, charge, error, intent, page, provider_at, refund
from tests.stripe.scripted import ScriptedServer, Step, close, drip, raw, reply

ACCOUNT = {"id": "acct_1", "object": "account"}
BALANCE = {"object": "balance", "livemode": False}


def shown(*bodies: object) -> list[Step]:
    """The account first, as a new process asks for it, then these."""
    return [reply(200, body, STRIPE_SAYS) for body in (ACCOUNT, BALANCE, *bodies)]


def read(*bodies: object) -> PaymentFacts:
    with ScriptedServer(*shown(*bodies)) as server:
        return provider_at(server.url).read_payment("pi_1")


def dispute(status: str) -> dict[str, Any]:
    return {"id": f"du_{status}", "object": "dispute", "status": status, "charge": "ch_1"}


def test_the_facts_of_a_payment() -> None:
    elsewhere = refund(id="re_2", amount=300, metadata={}, status="pending")
    assert read(intent(), page(elsewhere, refund())) == PaymentFacts(
        payment="pi_1",
        account="acct_1",
        currency="usd",
        captured_minor=5000,
        customer="cus_1",
        livemode=False,
        refundable_status=True,
        dispute=Dispute.NONE,
        charge="ch_1",
        refunds=(
            ProviderRefund("re_2", "pi_1", 300, "usd", "pending", None, NOW),
            ProviderRefund("re_1", "pi_1", 700, "usd", "succeeded", "rr_1", NOW),
        ),
        read_at=NOW,
        method=PaymentMethod("card", "visa", "4242"),
        connected=False,
    )


def test_two_calls_are_enough_once_the_account_is_known() -> None:
    with ScriptedServer(*shown(intent(), page(), intent(), page())) as server:
        provider = provider_at(server.url)
        assert provider.read_payment("pi_1") == provider.read_payment("pi_1")
    payment = [
        "/v1/payment_intents/pi_1?expand%5B0%5D=latest_charge",
        "/v1/refunds?payment_intent=pi_1&limit=100",
    ]
    assert [call.path for call in server.requests] == ["/v1/account", "/v1/balance", *payment, *payment]
    assert {call.method for call in server.requests} == {"GET"}
    assert {call.connection for call in server.requests} == {1}


def test_the_list_of_refunds_is_read_to_its_end() -> None:
    first = page(*(refund(id=f"re_{n}") for n in range(100)), has_more=True)
    with ScriptedServer(*shown(intent(), first, page(refund(id="re_last")))) as server:
        facts = provider_at(server.url).read_payment("pi_1")
    assert len(facts.refunds) == 101
    assert server.requests[-1].path.endswith("&starting_after=re_99")


# fmt: off
DISPUTES = [
    (["needs_response"],                    Dispute.OPEN),
    (["under_review"],                      Dispute.OPEN),
    (["a_new_word"],                        Dispute.OPEN),
    (["warning_needs_response"],            Dispute.INQUIRY),
    (["warning_under_review"],              Dispute.INQUIRY),
    (["warning_closed"],                    Dispute.INQUIRY),
    (["won"],                               Dispute.WON),
    (["lost"],                              Dispute.LOST),
    (["won", "warning_closed"],             Dispute.INQUIRY),
    (["needs_response", "won"],             Dispute.OPEN),
    (["won", "lost", "warning_closed"],     Dispute.LOST),
    ([],                                    Dispute.OPEN),
]
# fmt: on


@pytest.mark.parametrize(("statuses", "strictest"), DISPUTES)
def test_the_strictest_dispute_counts(statuses: list[str], strictest: Dispute) -> None:
    disputes = page(*(dispute(status) for status in statuses))
    bodies = shown(intent(latest_charge=charge(disputed=True)), disputes, page())
    with ScriptedServer(*bodies) as server:
        assert provider_at(server.url).read_payment("pi_1").dispute is strictest
    assert server.requests[3].path == "/v1/disputes?charge=ch_1&limit=100"


# fmt: off
KNOWN: list[tuple[dict[str, Any], dict[str, object]]] = [
    # what Stripe shows,                                        what the core must know
    (intent(latest_charge=charge(amount_captured=900)),         {"captured_minor": 900}),
    (intent(latest_charge=charge(captured=False, amount_captured=0), status="requires_capture"),
                                                                {"captured_minor": 0, "refundable_status": False}),
    (intent(latest_charge=charge(status="failed", captured=False), status="requires_payment_method"),
                                                                {"refundable_status": False}),
    (intent(latest_charge=None, status="requires_payment_method"),
                                                                {"captured_minor": 0, "charge": None, "refundable_status": False}),
    (intent(status="processing"),                               {"refundable_status": False}),
    (intent(transfer_data={"destination": "acct_2"}),           {"refundable_status": False, "connected": True}),
    (intent(on_behalf_of="acct_2"),                             {"refundable_status": False, "connected": True}),
    (intent(application_fee_amount=10),                         {"refundable_status": False, "connected": True}),
    (intent(livemode=True),                                     {"livemode": True}),
    (intent(latest_charge=charge(livemode=True)),               {"livemode": True}),
    (intent(customer=None),                                     {"customer": "cus_1"}),
    (intent(customer={"id": "cus_2", "object": "customer"}),    {"customer": "cus_2"}),
    (intent(customer=None, latest_charge=charge(customer=None)), {"customer": None}),
]
# fmt: on


@pytest.mark.parametrize(("body", "expected"), KNOWN)
def test_what_the_core_must_know(body: object, expected: dict[str, object]) -> None:
    facts = read(body, page())
    assert {name: getattr(facts, name) for name in expected} == expected


CUT = raw(200, page(refund()))[:-3]


# fmt: off
UNREADABLE: dict[str, list[Step]] = {
    "another payment":          shown(intent(id="pi_2"), page()),
    "another currency":         shown(intent(latest_charge=charge(currency="eur")), page()),
    "no livemode":              shown(intent(livemode=None), page()),
    "the charge not expanded":  shown(intent(latest_charge="ch_1"), page()),
    "no captured amount":       shown(intent(latest_charge=charge(amount_captured=None)), page()),
    "a captured amount of true": shown(intent(latest_charge=charge(amount_captured=True)), page()),
    "no word on disputes":      shown(intent(latest_charge=charge(disputed=None)), page()),
    "no currency":              shown(intent(currency="US dollars"), page()),
    "not a payment":            shown(charge(), page()),
    "an array":                 shown([intent()], page()),
    "no list":                  shown(intent(), refund()),
    "no word on more":          shown(intent(), {**page(), "has_more": None}),
    "a refund without amount":  shown(intent(), page(refund(amount=None))),
    "a refund without id":      shown(intent(), page(refund(id=""))),
    "a refund of another":      shown(intent(), page(refund(payment_intent="pi_2"))),
    "a page that repeats":      shown(intent(), page(refund(), has_more=True), page(refund(), has_more=True)),
    "one refund twice":         shown(intent(), page(refund(), refund())),
    "more, but nothing there":  shown(intent(), page(has_more=True)),
    "the next page fails":      [*shown(intent(), page(refund(), has_more=True)), reply(500, error("api_error"))],
    "the list is cut":          [*shown(intent()), drip(CUT, every_seconds=0), close],
    "the list of disputes fails": [*shown(intent(latest_charge=charge(disputed=True))), reply(429, error())],
    "the account fails":        [reply(401, error())],
    "the account has no id":    [reply(200, {"object": "account"}), reply(200, BALANCE)],
    "the balance has no mode":  [reply(200, ACCOUNT), reply(200, {"object": "balance"})],
    "no permission":            [*shown(), reply(403, error())],
    "rate limit":               [*shown(), reply(429, error(code="rate_limit"))],
    "a redirect":               [*shown(), reply(302, b"", {"Location": "/v1/payment_intents/pi_2"})],
    "too large":                [*shown(), reply(200, b" " * 1_100_000)],
    "a 404 that is not Stripe's": [*shown(), reply(404, b"<html>Not here")],
    "a 404 without code":       [*shown(), reply(404, error())],
    "a 400 resource_missing":   [*shown(), reply(400, error(code="resource_missing"))],
    "a 404 on the next page":   [*shown(intent(), page(refund(), has_more=True)), reply(404, error(code="resource_missing"))],
}
# fmt: on


@pytest.mark.parametrize("steps", UNREADABLE.values(), ids=UNREADABLE)
def test_a_payment_that_was_not_read_whole_is_not_known(steps: list[Step]) -> None:
    with ScriptedServer(*steps) as server, pytest.raises(Unavailable) as refusal:
        provider_at(server.url).read_payment("pi_1")
    assert "TRAP" not in "".join(traceback.format_exception(refusal.value))


def test_all_of_it_happens_before_one_deadline() -> None:
    slow = drip(raw(200, intent()), every_seconds=0.05)
    with ScriptedServer(*shown(), slow) as server, pytest.raises(Unavailable):
        provider_at(server.url, read_seconds=0.4).read_payment("pi_1")


def test_a_payment_that_stripe_does_not_know() -> None:
    missing = reply(404, error(code="resource_missing", param="intent"), STRIPE_SAYS)
    with ScriptedServer(*shown(), missing) as server, pytest.raises(NotFound) as refusal:
        provider_at(server.url).read_payment("pi_1")
    assert refusal.value.code == "payment_not_found"
    assert "TRAP" not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize(
    "payment", ["ch_1", "", "pi_", "pi_1/../refunds", "pi_1?a=b", "pi_1\n", "PI_1", "pi_ü"]
)
def test_an_id_of_another_shape_never_comes_near_a_url(payment: str) -> None:
    with ScriptedServer(close) as server:
        with pytest.raises(NotFound):
            provider_at(server.url).read_payment(payment)
        with pytest.raises(Unavailable):
            provider_at(server.url).list_refunds(payment)
    assert server.requests == []


def test_a_list_that_fails_on_its_second_page_proves_nothing() -> None:
    steps = [reply(200, page(refund(), has_more=True)), reply(500, error("api_error"))]
    with ScriptedServer(*steps) as server, pytest.raises(Unavailable):
        provider_at(server.url).list_refunds("pi_1")


@pytest.mark.parametrize(
    "shown", [charge(), charge(payment_intent={"id": "pi_1", "object": "payment_intent"})]
)
def test_a_charge_leads_to_its_payment_in_one_call(shown: object) -> None:
    with ScriptedServer(reply(200, shown, STRIPE_SAYS)) as server:
        assert provider_at(server.url).payment_of("ch_1") == "pi_1"
    assert [request.path for request in server.requests] == ["/v1/charges/ch_1"]


# fmt: off
NO_PAYMENT: dict[str, tuple[Step, type[Exception]]] = {
    "made without a payment": (reply(200, charge(payment_intent=None)),         NotFound),
    "unknown to Stripe":      (reply(404, error(code="resource_missing")),      NotFound),
    "another charge":         (reply(200, charge(id="ch_2")),                   Unavailable),
    "no charge at all":       (reply(200, intent()),                            Unavailable),
    "a payment of no shape":  (reply(200, charge(payment_intent="pi_1/../x")),  Unavailable),
    "a payment of no kind":   (reply(200, charge(payment_intent=7)),            Unavailable),
    "a failure":              (reply(500, error("api_error")),                  Unavailable),
    "no reply":               (close,                                           Unavailable),
}
# fmt: on


@pytest.mark.parametrize(("step", "refusal"), NO_PAYMENT.values(), ids=NO_PAYMENT)
def test_a_charge_without_a_payment_is_told_from_one_that_was_not_read(
    step: Step, refusal: type[Exception]
) -> None:
    with ScriptedServer(step) as server, pytest.raises(refusal) as raised:
        provider_at(server.url).payment_of("ch_1")
    assert "TRAP" not in "".join(traceback.format_exception(raised.value))


def test_a_live_account_is_refused() -> None:
    live = [reply(200, ACCOUNT), reply(200, {**BALANCE, "livemode": True})]
    with ScriptedServer(*live) as server, pytest.raises(Forbidden) as refusal:
        provider_at(server.url).read_account()
    assert refusal.value.code == "live_mode_refused"
