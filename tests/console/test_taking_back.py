"""Undo in the console: a plain button beside what was just approved, which says when it comes too late."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew
from tests.environment import change_settings

INBOX = "/console/e/test/holds"
APPROVE, UNDO = "Approve $200.00", "Undo: do not send it"


@pytest.fixture(autouse=True, scope="module")
def _time_to_think(world: World) -> None:
    """More of it than any test takes."""
    world.limit(10_000_000, approval_above=10_000)
    change_settings(world, undo_seconds=300)


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


def held(world: World) -> RefundRequest:
    return world.request(world.caller(), world.payment(50_000), 20_000)


def look(visitor: Visitor, request: RefundRequest) -> Seen:
    return visitor.get(f"{INBOX}/{request.hold}")


def undoes(page: Seen) -> bool:
    return any(button.text == UNDO for button in page.all("button"))


def test_an_approval_is_undone_by_a_plain_button(world: World, ben: Visitor) -> None:
    request = held(world)
    assert "It goes out after 300 seconds in which it can be undone." in look(ben, request).text
    done = ben.send(look(ben, request).form(APPROVE))
    assert "You approved $200.00." in done.text
    (left,) = done.all("span", role="timer")
    assert 290 < int(left.attributes["data-counts-down"]) <= 300
    after = ben.send(done.form(UNDO))
    assert "You took your approval back. Nothing was sent; it waits for approval again." in after.text
    assert "ben had approved it, and took that back" in after.text
    assert world.now(request).state is State.PENDING_APPROVAL
    assert "Approved, which counts no more" in ben.get(f"{INBOX}/decided").text
    twice = ben.send(done.form(UNDO))
    assert "You took your approval back." in twice.text
    assert len(world.now(request).shown["taken_back"]) == 1
    assert "The approval was taken back" in ben.get(f"/console/e/test/refund-requests/{request.id}").text


def test_undo_after_it_was_sent_says_that_it_is_too_late(world: World, ben: Visitor) -> None:
    request = held(world)
    done = ben.send(look(ben, request).form(APPROVE))
    undo = done.form(UNDO)
    with world.app.store.environment("test") as tx:
        standing = tx.request("test", request.id)
        assert standing is not None
        tx.carry(standing, replace(standing, due_at=tx.now))
    assert world.drain(request) == 1
    late = ben.send(undo)
    assert (late.status, late.title) == (409, "Nothing was undone")
    assert "It is too late: the request is succeeded already." in late.text
    assert f"{INBOX}/{request.hold}" in late.links
    assert not undoes(look(ben, request))
    assert len(world.now(request).shown.get("taken_back", [])) == 0


def test_undoing_an_approval_of_less_says_that_the_rest_is_gone(world: World, ben: Visitor) -> None:
    done = ben.send(look(ben, held(world)).form("Approve only this much"), amount="50.00")
    assert (
        "Undone, only $50.00 USD waits again: the rest of what was asked for stays given back." in done.text
    )
    after = ben.send(done.form(UNDO)).text
    assert "$50.00 of it waits for approval again." in after
    assert "The rest of the $200.00 that was asked for stays given back." in after


def test_undoing_when_the_time_to_decide_is_over_does_not_say_that_it_waits(
    world: World, ben: Visitor
) -> None:
    request = held(world)
    ben.send(look(ben, request).form(APPROVE))
    with world.app.store.environment("test") as tx:
        standing = tx.request("test", request.id)
        assert standing is not None
        tx.carry(standing, replace(standing, expires_at=tx.now))
    page = look(ben, request)
    assert "The time to decide it is over: undone, it has to be submitted again." in page.text
    after = ben.send(page.form(UNDO)).text
    assert "Nothing was sent; the time to decide it is over, so it has to be submitted again." in after
    assert "waits for approval again" not in after


def test_a_form_that_is_sent_again_is_told_how_it_stands_by_now(world: World, ben: Visitor) -> None:
    request = held(world)
    approve = look(ben, request).form(APPROVE)
    undo = ben.send(approve).form(UNDO)
    ben.send(undo)
    assert "You had decided it. By now: waits for approval." in ben.send(approve).text, "it counts no more"
    ben.send(look(ben, request).form("Reject"), reason="not ours to pay")
    assert "You had decided it. By now: rejected." in ben.send(approve).text
    assert "You had taken your approval back. By now: rejected." in ben.send(undo).text


def test_nobody_else_is_offered_to_undo_it(
    world: World, ben: Visitor, visitor: Callable[[Role], Visitor], app: Flask, crew: Crew
) -> None:
    request = held(world)
    undo = ben.send(look(ben, request).form(APPROVE)).form(UNDO)
    other = Visitor(app)
    other.sign_in(crew.somebody("bo", {"test": [Role.APPROVER]}), PASSWORD)
    for one in (other, visitor(Role.OPERATOR), visitor(Role.AUDITOR)):
        assert not undoes(look(one, request))
    refused = other.send(undo)
    assert (refused.status, "Somebody else has decided it." in refused.text) == (409, True)
    assert world.now(request).state is State.QUEUED


def test_what_waits_for_others_is_not_undone(world: World, ben: Visitor) -> None:
    request = held(world)
    ben.send(look(ben, request).form("Reject"), reason="not ours to pay")
    assert not undoes(look(ben, request))


def test_what_a_key_approved_can_be_undone_by_its_person_until_a_worker_has_it(
    world: World, ben: Visitor
) -> None:
    request = held(world)
    world.decide(world.approver(owner="ben"), request, Choice.APPROVE)
    page = look(ben, request)
    assert "It was not sent yet." in page.text
    ben.send(page.form(UNDO))
    assert world.now(request).state is State.PENDING_APPROVAL
