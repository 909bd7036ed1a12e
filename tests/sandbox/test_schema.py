"""The twin's answers against Stripe's published schema, path by path, and the judge itself."""

from typing import Any

import pytest
import requests
from jsonschema import ValidationError

from tests.sandbox import schema
from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin

HEADERS = {"Authorization": "Bearer sk_test_anything"}
CARDS = ["pm_card_visa", "pm_card_pendingRefund", "pm_card_refundFail", "pm_sandbox_konbini"]


@pytest.fixture(autouse=True)
def _schema_is_at_hand() -> None:
    schema.need()


def call(twin: Twin, method: str, path: str, **form: Any) -> Any:
    response = requests.request(method, twin.url + path, data=form, headers=HEADERS, timeout=PATIENCE_SECONDS)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("card", CARDS)
def test_refunds_keep_the_schema_of_their_path(twin: Twin, card: str) -> None:
    payment = twin.payment(card=card, customer="cus_1")
    made = call(twin, "POST", "/v1/refunds", payment_intent=payment, amount=700, reason="duplicate")
    schema.check_response("/v1/refunds", "post", made)
    path = f"/v1/refunds/{made['id']}"
    schema.check_response("/v1/refunds/{refund}", "post", call(twin, "POST", path, **{"metadata[a]": "b"}))
    if card == "pm_sandbox_konbini":
        schema.check_response("/v1/refunds/{refund}/cancel", "post", call(twin, "POST", f"{path}/cancel"))
    twin.advance(60)
    schema.check_response("/v1/refunds/{refund}", "get", call(twin, "GET", path))
    schema.check_response("/v1/refunds", "get", call(twin, "GET", "/v1/refunds"))


def test_reads_keep_the_schema_of_their_path(twin: Twin) -> None:
    payment = twin.payment()
    twin.dashboard_refund(payment, 100)
    intent = call(twin, "GET", f"/v1/payment_intents/{payment}")
    schema.check_response("/v1/payment_intents/{intent}", "get", intent)
    charge = call(twin, "GET", f"/v1/charges/{intent['latest_charge']}?expand[]=refunds")
    schema.check_response("/v1/charges/{charge}", "get", charge)
    twin.dispute(payment, "lost")
    schema.check_response("/v1/events", "get", call(twin, "GET", "/v1/events?limit=100"))


@pytest.mark.parametrize(
    ("field", "value"),
    [("amount", "700"), ("currency", None), ("object", "refunds"), ("created", 1.5), ("pending_reason", 3)],
)
def test_the_judge_refuses_a_wrong_answer(twin: Twin, field: str, value: object) -> None:
    made = call(twin, "POST", "/v1/refunds", payment_intent=twin.payment())
    with pytest.raises(ValidationError):
        schema.check_response("/v1/refunds", "post", {**made, field: value})


def test_the_judge_refuses_an_invented_field(twin: Twin) -> None:
    made = call(twin, "POST", "/v1/refunds", payment_intent=twin.payment())
    with pytest.raises(AssertionError, match="livemode"):
        schema.check({**made, "livemode": False})
