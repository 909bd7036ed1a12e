"""Pages, filters and the events that a poller reads."""

from typing import Any

import pytest
import stripe

from adapters.sandbox.refunds import LATE_SECONDS
from tests.twin import Twin


def test_lists_are_newest_first_and_paged(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment()
    made = [twin.dashboard_refund(payment, amount)["id"] for amount in range(1, 13)][::-1]
    first = client.v1.refunds.list({"payment_intent": payment})
    assert [found.id for found in first.data] == made[:10]
    assert first.has_more is True
    second = client.v1.refunds.list({"payment_intent": payment, "starting_after": made[9]})
    assert [found.id for found in second.data] == made[10:]
    assert second.has_more is False
    before = client.v1.refunds.list({"payment_intent": payment, "ending_before": made[5], "limit": 3})
    assert [found.id for found in before.data] == made[2:5]
    assert before.has_more is True
    everything = client.v1.refunds.list({"limit": 5}).auto_paging_iter()
    assert [found.id for found in everything] == made


def test_refunds_are_found_by_payment_and_by_charge(twin: Twin, client: stripe.StripeClient) -> None:
    ours, theirs = twin.payment(), twin.payment()
    mine = twin.dashboard_refund(ours, 100)
    twin.dashboard_refund(theirs, 100)
    for search in ({"payment_intent": ours}, {"charge": mine["charge"]}):
        assert [found.id for found in client.v1.refunds.list(search).data] == [mine["id"]]  # type: ignore[arg-type]  # the SDK wants a literal type
    other = {"charge": mine["charge"], "payment_intent": theirs}
    assert client.v1.refunds.list(other).data == []  # type: ignore[arg-type]  # the SDK wants a literal type


def test_refunds_are_found_by_their_time(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment()
    old = twin.dashboard_refund(payment, 100)
    twin.advance(1000)
    new = twin.dashboard_refund(payment, 100)

    def found(**created: int) -> list[str]:
        search: Any = {"created": created}
        return [row.id for row in client.v1.refunds.list(search).data]

    assert found(gte=new["created"]) == [new["id"]]
    assert found(gt=new["created"]) == []
    assert found(lt=new["created"]) == [old["id"]]
    assert found(gte=old["created"], lte=old["created"]) == [old["id"]]
    assert [row.id for row in client.v1.refunds.list({"created": new["created"]}).data] == [new["id"]]


@pytest.mark.parametrize("limit", [0, 101])
def test_a_page_has_1_to_100_rows(twin: Twin, client: stripe.StripeClient, limit: int) -> None:
    twin.payment()
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.list({"limit": limit})
    assert (caught.value.code, caught.value.param) == ("parameter_invalid_integer", "limit")


def test_a_cursor_that_is_not_in_the_list_is_refused(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.list({"starting_after": "re_nobody"})
    assert (caught.value.code, caught.value.param) == ("resource_missing", "starting_after")


def test_payments_and_charges_are_found_by_customer(twin: Twin, client: stripe.StripeClient) -> None:
    ours = twin.payment(customer="cus_1")
    twin.payment(customer="cus_2")
    assert [found.id for found in client.v1.payment_intents.list({"customer": "cus_1"}).data] == [ours]
    charges = client.v1.charges.list({"payment_intent": ours}).data
    assert [(found.payment_intent, found.customer) for found in charges] == [(ours, "cus_1")]
    assert client.v1.charges.retrieve(charges[0].id).captured is True


def test_a_poller_reads_what_webhooks_would_have_told(twin: Twin, client: stripe.StripeClient) -> None:
    payment = twin.payment(card="pm_card_refundFail")
    made = client.v1.refunds.create({"payment_intent": payment}, {"idempotency_key": "k"})
    twin.advance(LATE_SECONDS)
    events = client.v1.events.list({"types": ["refund.created", "refund.failed"]}).data
    assert [event.type for event in events] == ["refund.failed", "refund.created"]
    assert [event.data.object["id"] for event in events] == [made.id, made.id]
    assert [event.request and event.request.idempotency_key for event in events] == [None, "k"]
    [created] = client.v1.events.list({"type": "refund.created"}).data
    assert client.v1.events.retrieve(created.id).data.object["status"] == "succeeded"


def test_events_take_type_or_at_most_20_types(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.events.list({"types": [f"refund.{n}" for n in range(21)]})
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.events.list({"type": "refund.created", "types": ["refund.failed"]})


def test_a_card_reference_arrives_as_an_update_that_changes_nothing(
    twin: Twin, client: stripe.StripeClient
) -> None:
    made = twin.dashboard_refund(twin.payment(), 100)
    twin.advance(LATE_SECONDS)
    [update] = client.v1.events.list({"type": "charge.refund.updated"}).data
    assert update.to_dict()["data"]["previous_attributes"] == {
        "destination_details": {"card": {"reference": None, "reference_status": "pending"}}
    }
    later = client.v1.refunds.retrieve(made["id"]).to_dict()
    assert (later["status"], later["destination_details"]["card"]["reference_status"]) == (
        "succeeded",
        "available",
    )


def test_late_outcomes_come_by_themselves_too(twin: Twin, client: stripe.StripeClient) -> None:
    made = client.v1.refunds.create({"payment_intent": twin.payment(card="pm_card_pendingRefund")})
    twin.advance(LATE_SECONDS - 1)
    twin.until(lambda: client.v1.refunds.retrieve(made.id).status == "succeeded")
