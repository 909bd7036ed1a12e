"""What speaks against approving a hold is seen before it is opened, and what cannot be approved is not offered."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from governor.console.approve import marks
from governor.domain.approval_facts import warnings_in
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.payments import Dispute
from governor.domain.requests import RefundRequest
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew
from tests.fakes.provider import FakeProvider

INBOX = "/console/e/test/holds"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(100_000_000, approval_above=10_000)


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


@pytest.fixture
def bo(crew: Crew, app: object) -> Visitor:
    """Another approver."""
    somebody = Visitor(app)
    somebody.sign_in(crew.somebody("bo", {"test": [Role.APPROVER]}), PASSWORD)
    return somebody


def held(world: World) -> RefundRequest:
    return world.request(world.caller(), world.payment(50_000), 20_000)


def _read_long_ago(world: World) -> None:
    with world.app.engine.begin() as connection:
        connection.execute(text("UPDATE payments SET read_at = 'epoch'"))


def look(visitor: Visitor, request: RefundRequest) -> Seen:
    return visitor.get(f"{INBOX}/{request.hold}")


def line(visitor: Visitor, request: RefundRequest, view: str) -> str | None:
    """The words of its line in the list; none when it is not there."""
    found = [
        row
        for row in visitor.get(f"{INBOX}?view={view}").all("tr")
        if any((one.attributes.get("href") or "").endswith(f"/{request.hold}") for one in row.all())
    ]
    return found[0].text if found else None


def offers(page: Seen) -> set[str]:
    """The buttons of the decision."""
    return {one.attributes["value"] for one in page.all("button", name="choice")}


def test_what_is_disputed_is_marked_and_its_approval_is_not_offered(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    request = held(world)
    assert offers(look(ben, request)) == {"return", "reject", "approve_less", "approve"}
    provider.dispute(request.payment, Dispute.OPEN)
    _read_long_ago(world)
    page = look(ben, request)
    assert "It cannot be approved. The payment is disputed: the bank decides" in page.text
    assert "It can be rejected, or left until it expires." in page.text
    assert "It goes out" not in page.text
    assert offers(page) == {"return", "reject"}
    assert "Payment disputed" in (line(ben, request, "mine") or "")


def test_what_the_payment_has_too_little_left_for_is_approved_in_part_only(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    request = held(world)
    provider.refund_elsewhere(request.payment, 35_000)
    _read_long_ago(world)
    page = look(ben, request)
    assert "It cannot be approved whole. The payment has less left than this; approve less." in page.text
    assert "$150.00 USD is left." in page.text
    assert "Left $150.00 USD , less than this" in page.text
    assert "after this" not in page.text
    assert offers(page) == {"return", "reject", "approve_less"}
    ben.send(page.form("Approve only this much"), amount="150.00")
    assert (world.now(request).state, world.now(request).amount_minor) == (State.QUEUED, 15_000)


def test_what_the_payment_has_nothing_left_for_is_not_approved_in_part_either(
    world: World, ben: Visitor, provider: FakeProvider
) -> None:
    request = held(world)
    provider.refund_elsewhere(request.payment, 50_000)
    _read_long_ago(world)
    page = look(ben, request)
    assert "It cannot be approved. The payment has nothing left." in page.text
    assert offers(page) == {"return", "reject"}


def test_every_warning_has_its_words() -> None:
    codes = {code for one in Dispute for code in warnings_in({"dispute": one.value})}
    assert codes == set(marks._WARNINGS)


def test_what_one_has_sent_back_waits_for_one_again_when_it_is_answered(
    world: World, ben: Visitor, bo: Visitor
) -> None:
    request = held(world)
    done = ben.send(look(ben, request).form("Return with this question"), reason="Did it come back?")
    assert "It comes back to you with the answer" in done.text
    assert line(ben, request, "mine") is None
    assert "Question not answered" in (line(ben, request, "team") or "")
    assert "Question not answered" in (line(bo, request, "mine") or ""), "the others may decide it"
    world.app.answer_question(world.caller(), request.id, "Yes.", fresh_key("answer"))
    assert "Question answered" in (line(ben, request, "mine") or "")


def test_a_link_to_a_hold_leads_whoever_asks_for_refunds_to_the_request(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    request = held(world)
    page = look(visitor(Role.AGENT), request)
    assert page.address.endswith(f"/refund-requests/{request.id}")
    assert not offers(page)
