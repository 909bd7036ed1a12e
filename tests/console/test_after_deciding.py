"""After a decision: what became of the hold is the first thing its page says, and the next one is one step away."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from governor.console import watching
from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew
from tests.environment import change_settings

INBOX = "/console/e/test/holds"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(100_000_000, approval_above=10_000)


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


def held(world: World, amount: int = 20_000) -> RefundRequest:
    return world.request(world.caller(), world.payment(500_000), amount)


def look(visitor: Visitor, request: RefundRequest) -> Seen:
    return visitor.get(f"{INBOX}/{request.hold}")


def next_of(page: Seen) -> str:
    """Where "Next" leads."""
    (link,) = [one for one in page.all("a") if one.attributes.get("data-shortcut") == "n"]
    return link.attributes["href"]


def decision(page: Seen) -> str:
    """The words of the part about the decision."""
    (part,) = page.all("section", id="decision")
    return part.text


def test_next_passes_each_one_that_waits_once_whether_it_is_decided_or_left(
    world: World, ben: Visitor
) -> None:
    first, second, third = (held(world, amount) for amount in (430_000, 420_000, 410_000))
    page = look(ben, first)
    assert next_of(page) == f"{INBOX}/{second.hold}"
    page = ben.get(next_of(page))
    assert next_of(page) == f"{INBOX}/{third.hold}", "one that was left is not come back to"
    decided = ben.send(page.form("Reject"), reason="not ours to pay")
    assert next_of(decided) == f"{INBOX}/{third.hold}", "a decided one has kept its place"


def test_next_goes_on_from_where_one_stood_that_was_approved_in_part(world: World, ben: Visitor) -> None:
    part, following = held(world, 450_000), held(world, 440_000)
    decided = ben.send(look(ben, part).form("Approve only this much"), amount="1.00")
    assert next_of(decided) == f"{INBOX}/{following.hold}"


def test_after_the_last_one_next_is_the_first(world: World, ben: Visitor) -> None:
    first = held(world, 490_000)
    last = held(world, 10_001)
    assert next_of(look(ben, last)) == f"{INBOX}/{first.hold}"


def test_whoever_comes_later_sees_who_said_no_when_and_why(
    world: World, ben: Visitor, crew: Crew, app: object
) -> None:
    request = held(world)
    bo = Visitor(app)
    bo.sign_in(crew.somebody("bo", {"test": [Role.APPROVER]}), PASSWORD)
    late = look(bo, request).form("Approve $200.00")
    ben.send(look(ben, request).form("Reject"), reason="The parcel was delivered.")
    page = bo.send(late)
    assert page.status == 422
    assert "Rejected by ben , just now" in decision(page)
    assert "The parcel was delivered." in decision(page)
    assert "It goes out" not in page.text


def test_an_approval_can_be_undone_before_anything_else_on_the_page(world: World, ben: Visitor) -> None:
    change_settings(world, undo_seconds=300)
    request = held(world)
    done = ben.send(look(ben, request).form("Approve $200.00"), reason="agreed by phone")
    change_settings(world, undo_seconds=0)
    assert "You approved $200.00." in done.text
    assert decision(done).startswith("Undo")
    assert "Approved by ben , just now" in decision(done)
    assert "agreed by phone" in decision(done)
    assert done.html.index('id="decision"') < done.html.index('id="why"')
    (undo,) = done.all("button", data_shortcut="u")
    assert undo.text == "Undo: do not send it"


def test_an_open_page_of_what_was_approved_is_asked_for_anew_once_it_stands_otherwise(
    world: World, ben: Visitor
) -> None:
    request = held(world)
    done = ben.send(look(ben, request).form("Approve $200.00"))
    (stands,) = done.all("span", id="stands")
    address = stands.attributes["hx-get"]
    same = ben.get(address, **{watching.HEADER: "yes"})
    assert (same.status, same.html, same.response.headers.get("HX-Refresh")) == (204, "", None)
    world.drain(request)
    other = ben.get(address, **{watching.HEADER: "yes"})
    assert (other.status, other.response.headers["HX-Refresh"]) == (204, "true")
    ended = look(ben, request)
    assert "hx-get" not in ended.all("span", id="stands")[0].attributes, "there is nothing more to wait for"
    assert "How it ended Approved by ben" in decision(ended)
    assert "counts no more" not in ben.get(f"{INBOX}/decided").text


def test_a_page_where_somebody_decides_is_never_taken_from_under_their_hands(
    world: World, ben: Visitor
) -> None:
    page = look(ben, held(world))
    assert "hx-get" not in page.all("span", id="stands")[0].attributes


def test_a_hold_that_is_frozen_says_that_it_goes_out_when_refunds_go_on(world: World, ben: Visitor) -> None:
    change_settings(world, undo_seconds=300)
    request = held(world)
    stop = FreezeDraft(Scope.PAYMENT, request.payment, "looked into")
    world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    page = look(ben, request)
    assert "Refunds are stopped here: it goes out when they go on." in page.text
    done = ben.send(page.form("Approve $200.00"))
    change_settings(world, undo_seconds=0)
    assert "it is sent when they go on, unless you undo it" in decision(done)
    assert not done.all("span", role="timer")


def test_an_open_page_looks_anew_once_the_time_to_undo_is_over(world: World, ben: Visitor) -> None:
    change_settings(world, undo_seconds=300)
    request = held(world)
    done = ben.send(look(ben, request).form("Approve $200.00"))
    change_settings(world, undo_seconds=0)
    address = done.all("span", id="stands")[0].attributes["hx-get"]
    assert "HX-Refresh" not in ben.get(address, **{watching.HEADER: "yes"}).response.headers
    with world.app.store.environment("test") as tx:
        standing = tx.request("test", request.id)
        assert standing is not None
        tx.carry(standing, replace(standing, due_at=tx.now))
    assert "HX-Refresh" in ben.get(address, **{watching.HEADER: "yes"}).response.headers
    assert "It was not sent yet." in decision(look(ben, request))
