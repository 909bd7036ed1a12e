"""Many at once: one charge, one key, and what they may say to one another."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests
import stripe

from tests.stack import PATIENCE_SECONDS
from tests.twin import UNTIL_FORGOTTEN, Twin

CALLERS = 20
HEADERS = {"Authorization": "Bearer sk_test_anything"}


def together(send: Callable[[int], requests.Response]) -> list[requests.Response]:
    with ThreadPoolExecutor(CALLERS) as pool:
        return list(pool.map(send, range(CALLERS)))


def post(twin: Twin, key: str, **form: Any) -> requests.Response:
    headers = {**HEADERS, "Idempotency-Key": key}
    return requests.post(f"{twin.url}/v1/refunds", data=form, headers=headers, timeout=PATIENCE_SECONDS)


def test_only_one_of_many_refunds_fits(twin: Twin) -> None:
    payment = twin.payment(1000)
    answers = together(lambda n: post(twin, f"k{n}", payment_intent=payment, amount=600))
    assert Counter(answer.status_code for answer in answers)[200] == 1
    errors = [answer.json()["error"] for answer in answers if answer.status_code != 200]
    assert {(error.get("code"), error.get("param")) for error in errors} <= {
        ("lock_timeout", None),
        (None, "amount"),
    }
    assert [write["amount"] for write in twin.writes(payment)] == [600]


def test_one_key_is_executed_once_however_many_send_it(twin: Twin) -> None:
    payment = twin.payment(5000)
    answers = together(lambda _n: post(twin, "k", payment_intent=payment, amount=100))
    assert {answer.status_code for answer in answers} <= {200, 409}
    refunds = {answer.json()["id"] for answer in answers if answer.status_code == 200}
    first = [a for a in answers if a.status_code == 200 and "Idempotent-Replayed" not in a.headers]
    conflicts = [answer.json()["error"]["code"] for answer in answers if answer.status_code == 409]
    assert (len(refunds), len(first)) == (1, 1)
    assert set(conflicts) <= {"idempotency_key_in_use"}
    [write] = twin.writes(payment)
    assert (write["http_calls"], write["replays"]) == (CALLERS, CALLERS - 1 - len(conflicts))


def test_a_running_key_answers_409(twin: Twin) -> None:
    payment = twin.payment()
    twin.fault("delay_before", method="POST", payment=payment, delay_ms=UNTIL_FORGOTTEN)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(post, twin, "k", payment_intent=payment, amount=100)
        twin.until(lambda: len(twin.calls()) == 1)
        meanwhile = post(twin, "k", payment_intent=payment, amount=100)
        assert (meanwhile.status_code, twin.writes(payment)) == (409, [])
        twin.forget_faults()
        assert slow.result().status_code == 200
    assert post(twin, "k", payment_intent=payment, amount=100).headers["Idempotent-Replayed"] == "true"
    assert len(twin.writes(payment)) == 1


def test_two_writes_that_meet_on_one_payment_do_not_wait(twin: Twin, client: stripe.StripeClient) -> None:
    payment, elsewhere = twin.payment(), twin.payment()
    twin.fault("delay_before", method="POST", payment=payment, delay_ms=UNTIL_FORGOTTEN)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(post, twin, "k1", payment_intent=payment, amount=100)
        twin.until(lambda: len(twin.calls()) == 1)
        meanwhile = post(twin, "k2", payment_intent=payment, amount=100)
        assert meanwhile.json()["error"]["code"] == "lock_timeout"
        assert meanwhile.status_code == 429
        assert meanwhile.headers["Stripe-Should-Retry"] == "true"
        assert "Stripe-Rate-Limited-Reason" not in meanwhile.headers
        assert client.v1.payment_intents.retrieve(payment).id == payment
        assert post(twin, "k3", payment_intent=elsewhere, amount=100).status_code == 200
        twin.forget_faults()
        assert slow.result().status_code == 200
    retried = post(twin, "k2", payment_intent=payment, amount=100)
    assert (retried.status_code, retried.headers.get("Idempotent-Replayed")) == (200, None)


def test_a_client_that_gives_up_does_not_stop_the_refund(twin: Twin) -> None:
    payment = twin.payment()
    twin.fault("delay_before", method="POST", payment=payment, delay_ms=UNTIL_FORGOTTEN)
    with requests.Session() as session:
        request = requests.Request(
            "POST", f"{twin.url}/v1/refunds", {**HEADERS, "Idempotency-Key": "k"}, data={"payment_intent": payment}
        )  # fmt: skip
        try:
            session.send(request.prepare(), timeout=0.1)
        except requests.ReadTimeout:
            gave_up = True
        else:
            gave_up = False
    assert gave_up
    twin.until(lambda: len(twin.calls()) == 1)
    assert twin.writes(payment) == []
    twin.forget_faults()
    twin.settled_calls()
    assert [write["amount"] for write in twin.writes(payment)] == [5000]
