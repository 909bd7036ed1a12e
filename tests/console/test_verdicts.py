"""The verdict on a refund before it is asked for: what would be refused, why, and what is possible instead."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.payments import Dispute
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.console.asking import LOOK, NEW, asked, requests_of
from tests.console.browsing import Visitor
from tests.fakes.provider import START, FakeProvider

CAP = 100_000


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(CAP, approval_above=10_000)


@pytest.fixture
def ada(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.AGENT)


def test_what_would_be_denied_is_not_even_asked_for(world: World, ada: Visitor) -> None:
    payment = world.payment(500_000)
    page = asked(ada, payment, "4000.00")
    assert page.status == 422
    assert "It would be denied. A limit has no room for it." in page.text
    assert "cap $1,000.00 USD" in page.text
    assert requests_of(world, payment) == []


def test_more_than_is_left_is_told_with_what_is_left(world: World, ada: Visitor) -> None:
    payment = world.payment(5000)
    page = asked(ada, payment, "50.01")
    assert "The payment has less left than this. At most $50.00 of it can still be refunded." in page.text
    assert requests_of(world, payment) == []


def test_a_second_refund_of_the_same_amount_asks_whether_it_is_meant_and_why(
    world: World, ada: Visitor
) -> None:
    payment = world.payment(5000)
    first = world.request(world.caller(), payment, 1000)
    page = asked(ada, payment, "10.00")
    assert "This payment has a refund request of the same amount already." in page.text
    assert f"/console/e/test/refund-requests/{first.id}" in page.links
    silent = ada.send(page.form(LOOK), deliberate="yes")
    assert silent.status == 422
    assert "why the refund is made a second time" in silent.text
    check = ada.send(page.form(LOOK), deliberate="yes", note="two parcels were broken")
    assert f"A second time beside {first.id}" in check.text
    ada.send(check.form("Refund $10.00"))
    assert requests_of(world, payment) == [(1000, State.QUEUED)] * 2


def test_what_was_refunded_meanwhile_is_shown_before_anything_is_sent(world: World, ada: Visitor) -> None:
    payment = world.payment(5000)
    check = asked(ada, payment, "10.00")
    world.request(world.caller(), payment, 3000)
    page = ada.send(check.form("Refund $10.00"))
    assert page.status == 422
    assert "You expected 50.00 USD to be refundable; it is 20.00 USD." in page.text
    assert "Can still be refunded $20.00 USD" in page.text
    assert requests_of(world, payment) == [(3000, State.QUEUED)]


def test_the_verdict_while_typing_books_nothing(world: World, ada: Visitor) -> None:
    payment = world.payment(5000)
    form = ada.get(f"{NEW}?payment={payment}").form(LOOK)
    typed = [(name, "10.00" if name == "amount" else value) for name, value in form.fields]
    assert "It goes out at once." in ada.post(f"{NEW}/verdict", typed).html
    unfinished = [(name, "1e" if name == "amount" else value) for name, value in form.fields]
    assert ada.post(f"{NEW}/verdict", unfinished).html.strip() == ""
    assert requests_of(world, payment) == []


def test_what_stands_in_the_way_is_said_while_somebody_types(world: World, ada: Visitor) -> None:
    customer = "cus_stopped"
    payment = world.payment(5000, customer=customer)
    form = ada.get(f"{NEW}?payment={payment}").form(LOOK)
    typed = [(name, "10.00" if name == "amount" else value) for name, value in form.fields]
    stop = FreezeDraft(Scope.CUSTOMER, customer, "looking into it")
    world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    assert "Refunds are stopped here." in ada.post(f"{NEW}/verdict", typed).html
    page = asked(ada, payment, "10.00")
    assert (page.status, "key" in page.text) == (422, False)
    assert "Refunds are stopped here. Nothing was decided" in page.text


def test_whoever_asks_first_reads_where_it_goes_and_what_was_asked_already(
    world: World, ada: Visitor, provider: FakeProvider
) -> None:
    payment = provider.add_payment(paid_at=START)
    where = f"to the Visa card ending 4242, charge of {START.day} Nov"
    assert f"$50.00 USD can be refunded {where}" in ada.get(f"{NEW}?payment={payment}").text
    first = world.request(world.caller(), payment, 1000)
    page = ada.get(f"{NEW}?payment={payment}")
    assert page.text.index("Already asked for this payment") < page.text.index("Amount")
    assert f"/console/e/test/refund-requests/{first.id}" in page.links
    assert f"Part of it goes back {where}" in asked(ada, payment, "2.00").text
    disputed = provider.add_payment(dispute=Dispute.OPEN)
    assert "The payment is disputed" in ada.get(f"{NEW}?payment={disputed}").text
    rest = world.payment(5000)
    world.request(world.caller(), rest, 5000)
    assert "Nothing of this payment is left to refund." in ada.get(f"{NEW}?payment={rest}").text


def test_a_verdict_that_refuses_is_where_whoever_sent_the_form_looks(world: World, ada: Visitor) -> None:
    payment = world.payment(5000)
    assert not [
        one for one in ada.get(f"{NEW}?payment={payment}").all("div") if "autofocus" in one.attributes
    ]
    page = asked(ada, payment, "50.01")
    assert [one.attributes["id"] for one in page.all("div") if "autofocus" in one.attributes] == ["verdict"]


def test_whoever_asked_for_too_much_is_offered_what_fits(world: World, ada: Visitor) -> None:
    payment = world.payment(500_000)
    page = ada.get(f"{NEW}?payment={payment}")
    fits = next(one for one in page.all("a") if one.text.startswith("What fits now: ")).attributes["href"]
    form = ada.get(fits).form(LOOK)
    left = int((form.value("amount") or "").replace(".", ""))
    assert 0 < left <= CAP
    over = asked(ada, payment, f"{left // 100 + 1}.00")
    assert "A limit has no room for it." in over.text
    assert "It needs approval." in ada.send(form).text
