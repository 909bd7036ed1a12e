"""Money, metadata and every parameter that Stripe refuses before it looks at the key."""

from typing import Any

import pytest
import requests
import stripe

from tests.sandbox import schema
from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin

HEADERS = {"Authorization": "Bearer sk_test_anything"}


def post(twin: Twin, path: str, form: dict[str, Any] | list[tuple[str, str]]) -> requests.Response:
    """A call as any HTTP client would make it; its answer is judged."""
    response = requests.post(twin.url + path, data=form, headers=HEADERS, timeout=PATIENCE_SECONDS)
    schema.check(response.json())
    return response


@pytest.mark.parametrize(
    ("form", "code", "param"),
    [
        ({"amount": "0"}, "parameter_invalid_integer", "amount"),
        ({"amount": "-1"}, "parameter_invalid_integer", "amount"),
        ({"amount": "25.00"}, "parameter_invalid_integer", "amount"),
        ({"amount": "true"}, "parameter_invalid_integer", "amount"),
        ({"amount": ""}, "parameter_invalid_empty", "amount"),
        ({"colour": "red"}, "parameter_unknown", "colour"),
        ({"reason": "because"}, None, "reason"),
        ({"metadata": "words"}, None, "metadata"),
        ({"amount": "1", "amount[x]": "2"}, None, "amount"),
        ({"charge": "ch_1"}, "parameters_exclusive", None),
        ({"expand[]": "moon"}, None, "expand"),
        ({"expand[]": "charge.refunds.data.charge.refunds"}, None, "expand"),
        ({"reverse_transfer": "true"}, None, None),
        ({"refund_application_fee": "true"}, None, None),
        ({"currency": "eur"}, None, "currency"),
    ],
)
def test_a_parameter_that_means_nothing_is_refused(
    twin: Twin, form: dict[str, str], code: str | None, param: str | None
) -> None:
    payment = twin.payment()
    response = post(twin, "/v1/refunds", {"payment_intent": payment, **form})
    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (400, "invalid_request_error")
    assert (error.get("code"), error.get("param")) == (code, param)
    assert twin.writes() == []


@pytest.mark.parametrize(
    ("currency", "amount", "is_accepted"),
    [
        ("jpy", 501, True),
        ("krw", 1, True),
        ("usd", 1, True),
        ("huf", 101, True),
        ("isk", 500, True),
        ("isk", 505, False),
        ("ugx", 1050, False),
        ("ugx", 1100, True),
        ("kwd", 1234, False),
        ("kwd", 1230, True),
        ("bhd", 5, False),
        ("zzz", 100, False),
    ],
)
def test_each_currency_has_its_own_amounts(twin: Twin, currency: str, amount: int, is_accepted: bool) -> None:
    form = {"amount": amount, "currency": currency, "payment_method": "pm_card_visa", "confirm": "true"}
    response = post(twin, "/v1/payment_intents", form)
    assert response.status_code == (200 if is_accepted else 400)
    if not is_accepted:
        assert response.json()["error"]["param"] in {"amount", "currency"}


def test_a_refund_keeps_the_rule_of_its_currency(twin: Twin) -> None:
    payment = twin.payment(12300, "kwd")
    refused = post(twin, "/v1/refunds", {"payment_intent": payment, "amount": "1234"})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "amount")
    assert post(twin, "/v1/refunds", {"payment_intent": payment, "amount": "1230"}).status_code == 200


@pytest.mark.parametrize(
    ("pairs", "is_accepted"),
    [
        ([("metadata[" + "k" * 40 + "]", "v" * 500)], True),
        ([("metadata[" + "k" * 41 + "]", "v")], False),
        ([("metadata[k]", "v" * 501)], False),
        ([(f"metadata[k{n}]", "v") for n in range(50)], True),
        ([(f"metadata[k{n}]", "v") for n in range(51)], False),
    ],
)
def test_metadata_has_limits(twin: Twin, pairs: list[tuple[str, str]], is_accepted: bool) -> None:
    response = post(twin, "/v1/refunds", [("payment_intent", twin.payment()), *pairs])
    assert response.status_code == (200 if is_accepted else 400)


def test_metadata_is_merged_and_an_empty_value_unsets(twin: Twin, client: stripe.StripeClient) -> None:
    made = client.v1.refunds.create({"payment_intent": twin.payment(), "metadata": {"a": "1", "b": "2"}})
    changed = client.v1.refunds.update(made.id, {"metadata": {"b": "", "c": "3"}})
    assert changed["metadata"].to_dict() == {"a": "1", "c": "3"}
    assert client.v1.refunds.update(made.id, {"metadata": ""})["metadata"].to_dict() == {}


def test_nothing_but_metadata_can_be_changed(twin: Twin, client: stripe.StripeClient) -> None:
    made = client.v1.refunds.create({"payment_intent": twin.payment(), "amount": 700})
    response = post(twin, f"/v1/refunds/{made.id}", {"amount": "1"})
    assert response.json()["error"]["code"] == "parameter_unknown"


def test_a_payment_needs_an_amount_and_a_currency(twin: Twin) -> None:
    error = post(twin, "/v1/payment_intents", {"amount": "100"}).json()["error"]
    assert (error["code"], error["param"]) == ("parameter_missing", "currency")


def test_unknown_addresses_and_methods_are_404(twin: Twin) -> None:
    assert post(twin, "/v1/moons", {}).status_code == 404
    made = twin.dashboard_refund(twin.payment(), 100)
    deleted = requests.delete(
        f"{twin.url}/v1/refunds/{made['id']}", headers=HEADERS, timeout=PATIENCE_SECONDS
    )
    assert deleted.status_code == 404


def test_expansion_replaces_ids_by_objects(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment(5000)
    made = client.v1.refunds.create(
        {"payment_intent": payment, "amount": 700, "expand": ["charge.refunds", "payment_intent", "balance_transaction"]}
    ).to_dict()  # fmt: skip
    assert made["charge"]["refunds"]["data"][0]["id"] == made["id"]
    assert made["payment_intent"]["id"] == payment
    assert made["balance_transaction"]["net"] == -700
    page = client.v1.refunds.list({"expand": ["data.charge.payment_intent"]}).to_dict()
    assert page["data"][0]["charge"]["payment_intent"]["id"] == payment


def test_a_charge_embeds_its_ten_newest_refunds(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment(5000)
    made = [twin.dashboard_refund(payment, amount)["id"] for amount in range(1, 13)]
    intent = client.v1.payment_intents.retrieve(payment, {"expand": ["latest_charge.refunds"]}).to_dict()
    refunds = intent["latest_charge"]["refunds"]
    assert [found["id"] for found in refunds["data"]] == made[:1:-1]
    assert refunds["has_more"] is True
