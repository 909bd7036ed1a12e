"""The control side refuses what means nothing, and says which account it works on."""

from typing import Any

import pytest
import requests

from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin


@pytest.mark.parametrize(
    ("path", "sent", "reason"),
    [
        ("/payments", {"amount": 0}, "amount must be"),
        ("/payments", {"amount": "5"}, "amount must be"),
        ("/payments", {"amount": True}, "amount must be"),
        ("/payments", {"amount": 5, "currency": "zzz"}, "Invalid currency"),
        ("/payments", {"amount": 5, "card": "pm_card_moon"}, "No such PaymentMethod"),
        ("/payments", {"amount": 5, "colour": "red"}, "unknown: colour"),
        ("/payments", {"amount": 5, "age_seconds": -1}, "age_seconds must be"),
        ("/payments", {"amount": 5, "account": "acct_1"}, "account is acct_sandbox_"),
        ("/refunds", {"payment": "pi_nobody"}, "there is no payment"),
        ("/refunds", {}, "payment must be"),
        ("/clock", {"advance_seconds": -1}, "advance_seconds must be"),
        ("/disputes", {"payment": "pi_nobody", "status": "angry"}, "status must be one of"),
        ("/webhooks", {"mode": "slow"}, "mode must be one of"),
    ],
)
def test_an_order_that_means_nothing_is_refused(twin: Twin, path: str, sent: Any, reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        twin.order("POST", path, sent)


def test_a_payment_is_made_in_the_account_that_test_keys_open(twin: Twin) -> None:
    payment = twin.payment(1234, "eur", customer="cus_1")
    headers = {"Authorization": "Bearer rk_test_something"}
    found = requests.get(
        f"{twin.url}/v1/payment_intents/{payment}", headers=headers, timeout=PATIENCE_SECONDS
    ).json()
    assert (found["amount_received"], found["currency"], found["customer"]) == (1234, "eur", "cus_1")
    assert (found["status"], found["livemode"]) == ("succeeded", False)


def test_a_dashboard_refund_keeps_stripes_ceiling(twin: Twin) -> None:
    payment = twin.payment(1000)
    twin.dashboard_refund(payment, 600)
    with pytest.raises(AssertionError, match="greater than unrefunded amount"):
        twin.dashboard_refund(payment, 600)
    [write] = twin.writes(payment)
    assert (write["source"], write["idempotency_key"], write["http_calls"]) == ("dashboard", None, 0)


def test_writes_can_be_asked_for_one_payment(twin: Twin) -> None:
    first, second = twin.payment(), twin.payment(account="acct_sandbox_two")
    twin.dashboard_refund(first, 100)
    twin.dashboard_refund(second, 200)
    assert [write["amount"] for write in twin.writes()] == [100, 200]
    assert [(write["amount"], write["account"]) for write in twin.writes(second)] == [
        (200, "acct_sandbox_two")
    ]


def test_the_log_has_each_call_in_order(twin: Twin) -> None:
    payment = twin.payment()
    headers = {"Authorization": "Bearer sk_test_a", "Idempotency-Key": "k"}
    requests.get(f"{twin.url}/v1/balance", headers=headers, timeout=PATIENCE_SECONDS)
    requests.post(
        f"{twin.url}/v1/refunds", data={"payment_intent": payment}, headers=headers, timeout=PATIENCE_SECONDS
    )
    requests.get(f"{twin.url}/v1/moons", headers=headers, timeout=PATIENCE_SECONDS)
    assert [(call["method"], call["path"], call["key"], call["status"]) for call in twin.calls()] == [
        ("GET", "/v1/balance", None, 200),
        ("POST", "/v1/refunds", "k", 200),
        ("GET", "/v1/moons", None, 404),
    ]


def test_reset_forgets_everything(twin: Twin) -> None:
    twin.dashboard_refund(twin.payment(), 100)
    twin.fault("error_503", times=0)
    twin.webhooks("withhold")
    ahead = twin.advance(100_000)
    twin.reset()
    assert (twin.writes(), twin.calls(), twin.faults()) == ([], [], [])
    assert twin.webhooks()["mode"] == "normal"
    assert twin.advance(0) < ahead


def test_unknown_addresses_are_404(twin: Twin) -> None:
    assert requests.get(f"{twin.url}/_sandbox/moons", timeout=PATIENCE_SECONDS).status_code == 404
    assert requests.get(f"{twin.url}/_sandbox/clock", timeout=PATIENCE_SECONDS).status_code == 404


def test_what_is_no_json_object_is_refused(twin: Twin) -> None:
    for body in ("nonsense", "[]"):
        response = requests.post(f"{twin.url}/_sandbox/payments", data=body, timeout=PATIENCE_SECONDS)
        assert response.status_code == 400
        assert response.json()["error"]


def test_a_payment_can_have_been_made_long_ago_with_everything_that_tells_of_it(twin: Twin) -> None:
    before, age = twin.advance(0), 26 * 86_400
    charge = requests.get(
        f"{twin.url}/v1/payment_intents/{twin.payment(age_seconds=age)}",
        params={"expand[]": "latest_charge"},
        headers={"Authorization": "Bearer sk_test_anything"},
        timeout=PATIENCE_SECONDS,
    ).json()["latest_charge"]
    assert int(before) - age <= charge["created"] <= twin.advance(0) - age
