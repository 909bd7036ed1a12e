"""Early fraud warnings, as the control side orders them and Stripe's side lists them."""

from typing import Any

import pytest
import requests
from stripe.radar import EarlyFraudWarning

from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin


def warnings(twin: Twin, **query: str) -> list[dict[str, Any]]:
    response = requests.get(
        f"{twin.url}/v1/radar/early_fraud_warnings",
        params=query,
        headers={"Authorization": "Bearer sk_test_anything"},
        timeout=PATIENCE_SECONDS,
    )
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["data"]
    return found


def test_a_warning_is_listed_by_its_charge_and_by_its_payment(twin: Twin) -> None:
    payment, other = twin.payment(), twin.payment()
    given = twin.warn_of_fraud(payment)
    assert warnings(twin, charge=given["charge"]) == warnings(twin, payment_intent=payment) == [given]
    assert warnings(twin, payment_intent=other) == []
    (whole,) = warnings(twin, **{"expand[]": "data.charge"})
    assert (whole["charge"]["id"], whole["charge"]["payment_intent"]) == (given["charge"], payment)


def test_it_has_the_fields_that_the_sdk_declares_and_no_other(twin: Twin) -> None:
    given = twin.warn_of_fraud(twin.payment())
    declared = {name for name in EarlyFraudWarning.__annotations__ if name != "OBJECT_NAME"}
    assert set(given) == declared
    assert given["object"] == EarlyFraudWarning.OBJECT_NAME


def test_a_payment_that_is_not_there_cannot_be_warned_of(twin: Twin) -> None:
    with pytest.raises(AssertionError, match="there is no payment"):
        twin.warn_of_fraud("pi_nobody")
