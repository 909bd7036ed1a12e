"""One key, one execution: what is saved, what is replayed, what is forgotten (STRIPE.md §3)."""

from typing import Any

import pytest
import requests

from adapters.sandbox.idempotency import LIFE_SECONDS
from tests.sandbox import schema
from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin

OVER_REFUND = {"amount": "9999"}


def post(twin: Twin, key: str, path: str = "/v1/refunds", api_key: str = "sk_test_a", **form: Any) -> Any:
    """A POST with an idempotency key; its answer is judged."""
    headers = {"Authorization": f"Bearer {api_key}", "Idempotency-Key": key}
    response = requests.post(twin.url + path, data=form, headers=headers, timeout=PATIENCE_SECONDS)
    schema.check(response.json())
    return response


def is_replay(response: requests.Response) -> bool:
    """The header is absent on a first call, never false (INDEX.md, 10)."""
    assert response.headers.get("Idempotent-Replayed") in {None, "true"}
    return "Idempotent-Replayed" in response.headers


def test_a_second_call_with_the_key_gets_the_first_answer(twin: Twin) -> None:
    payment = twin.payment()
    first = post(twin, "k", payment_intent=payment, amount=700)
    second = post(twin, "k", payment_intent=payment, amount=700)
    assert (first.status_code, is_replay(first)) == (200, False)
    assert (second.content, is_replay(second)) == (first.content, True)
    assert first.headers["Original-Request"] == first.headers["Request-Id"]
    assert second.headers["Original-Request"] == first.headers["Request-Id"]
    assert second.headers["Request-Id"] != first.headers["Request-Id"]
    assert second.headers["Idempotency-Key"] == "k"
    assert second.headers["Stripe-Should-Retry"] == "false"
    [write] = twin.writes(payment)
    assert (write["idempotency_key"], write["http_calls"], write["replays"]) == ("k", 2, 1)


def test_a_replay_is_the_old_snapshot(twin: Twin) -> None:
    payment = twin.payment(card="pm_card_pendingRefund")
    first = post(twin, "k", payment_intent=payment, amount=700)
    twin.advance(3600)
    assert post(twin, "k", payment_intent=payment, amount=700).json()["status"] == "pending"
    headers = {"Authorization": "Bearer sk_test_a"}
    found = requests.get(
        f"{twin.url}/v1/refunds/{first.json()['id']}", headers=headers, timeout=PATIENCE_SECONDS
    )
    assert found.json()["status"] == "succeeded"


def test_a_refusal_is_replayed_even_when_it_would_fit_now(twin: Twin) -> None:
    payment = twin.payment(1000, card="pm_card_refundFail")
    twin.dashboard_refund(payment)
    assert post(twin, "k", payment_intent=payment).json()["error"]["code"] == "charge_already_refunded"
    twin.advance(60)
    again = post(twin, "k", payment_intent=payment)
    assert (again.status_code, is_replay(again)) == (400, True)
    assert post(twin, "k2", payment_intent=payment).status_code == 200


def test_the_order_of_the_fields_does_not_matter(twin: Twin) -> None:
    payment = twin.payment()
    post(twin, "k", amount=700, payment_intent=payment)
    assert is_replay(post(twin, "k", payment_intent=payment, amount=700))


def test_other_parameters_under_the_key_are_refused(twin: Twin) -> None:
    payment = twin.payment()
    post(twin, "k", payment_intent=payment, amount=700)
    response = post(twin, "k", payment_intent=payment, amount=701)
    error = response.json()["error"]
    assert (response.status_code, error["type"], error.get("code")) == (400, "idempotency_error", None)
    assert "Stripe-Should-Retry" not in response.headers
    assert len(twin.writes(payment)) == 1


def test_another_endpoint_under_the_key_is_refused(twin: Twin) -> None:
    payment = twin.payment()
    post(twin, "k", payment_intent=payment, amount=700)
    response = post(twin, "k", "/v1/payment_intents", amount=100, currency="usd")
    assert response.json()["error"]["type"] == "idempotency_error"
    assert "'/v1/payment_intents' vs '/v1/refunds'" in response.json()["error"]["message"]


def test_a_parameter_error_is_not_saved(twin: Twin) -> None:
    payment = twin.payment()
    refused = post(twin, "k", payment_intent=payment, amount=0)
    assert "Stripe-Should-Retry" not in refused.headers
    assert refused.headers["Original-Request"] == refused.headers["Request-Id"]
    accepted = post(twin, "k", payment_intent=payment, amount=700)
    assert (accepted.status_code, is_replay(accepted)) == (200, False)


def test_a_refusal_of_the_account_is_not_saved(twin: Twin) -> None:
    payment = twin.payment()
    refused = post(twin, "k", api_key="sk_live_a", payment_intent=payment)
    assert refused.status_code == 401
    assert {"Idempotency-Key", "Request-Id", "Original-Request"}.isdisjoint(refused.headers)
    assert post(twin, "k", payment_intent=payment).status_code == 200


def test_keys_belong_to_their_account(twin: Twin) -> None:
    ours, theirs = twin.payment(), twin.payment(account="acct_sandbox_two")
    assert post(twin, "k", payment_intent=ours).status_code == 200
    other = post(twin, "k", api_key="sk_test_accttwo_x", payment_intent=theirs)
    assert (other.status_code, is_replay(other)) == (200, False)


@pytest.mark.parametrize(
    ("age", "executions"), [(LIFE_SECONDS - 60, 1), (LIFE_SECONDS, 2), (LIFE_SECONDS + 60, 2)]
)
def test_a_day_old_key_is_a_new_request(twin: Twin, age: int, executions: int) -> None:
    payment = twin.payment()
    post(twin, "k", payment_intent=payment, amount=700)
    twin.advance(age)
    assert is_replay(post(twin, "k", payment_intent=payment, amount=700)) is (executions == 1)
    assert [found["idempotency_key"] for found in twin.writes(payment)] == ["k"] * executions


def test_without_a_key_each_call_is_executed(twin: Twin) -> None:
    payment = twin.payment()
    for _ in range(2):
        headers = {"Authorization": "Bearer sk_test_a"}
        form = {"payment_intent": payment, "amount": "700"}
        response = requests.post(
            f"{twin.url}/v1/refunds", data=form, headers=headers, timeout=PATIENCE_SECONDS
        )
        assert "Stripe-Should-Retry" not in response.headers
    assert [found["http_calls"] for found in twin.writes(payment)] == [0, 0]


def test_a_key_has_at_most_255_characters(twin: Twin) -> None:
    payment = twin.payment()
    assert post(twin, "k" * 255, payment_intent=payment, amount=1).status_code == 200
    assert post(twin, "k" * 256, payment_intent=payment, amount=1).status_code == 400


def test_a_key_means_nothing_on_a_read(twin: Twin) -> None:
    payment = twin.payment()
    headers = {"Authorization": "Bearer sk_test_a", "Idempotency-Key": "k"}
    read = requests.get(f"{twin.url}/v1/payment_intents/{payment}", headers=headers, timeout=PATIENCE_SECONDS)
    assert "Idempotency-Key" not in read.headers
    assert is_replay(post(twin, "k", payment_intent=payment)) is False
