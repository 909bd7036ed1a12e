"""What a requester has asked for, what they could still get, and stopping one."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.usecases.callers import Caller
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew

MINE = "/console/e/test/refunds/mine"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(1_000_000, approval_above=10_000)


def asked(ada: Visitor, payment: str, amount: str) -> str:
    page = ada.get(f"/console/e/test/refunds/new?payment={payment}")
    check = ada.send(page.form("Look at the verdict"), amount=amount)
    button = next(one.text for one in check.all("button") if "efund $" in one.text)
    return ada.send(check.form(button)).address.rpartition("/")[2]


def test_mine_are_those_of_my_own_key_with_whom_they_wait_for(world: World, crew: Crew, app: Flask) -> None:
    amy = Visitor(app)
    amy.sign_in(crew.somebody("amy", {"test": [Role.AGENT]}), PASSWORD)
    other = world.request(world.caller(), world.payment(5000), 700)
    mine = asked(amy, world.payment(50_000), "200.00")
    page = amy.get(MINE)
    assert f"/console/e/test/refund-requests/{mine}" in page.links
    assert f"/console/e/test/refund-requests/{other.id}" not in page.links
    assert "approvers; ends in" in page.text
    assert "None here" in amy.get(f"{MINE}?view=over").text


def test_canceling_says_what_it_does_and_does_it_once(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    ada = visitor(Role.AGENT)
    mine = asked(ada, world.payment(5000), "3.00")
    page = ada.get(f"/console/e/test/refund-requests/{mine}/cancel")
    assert "It has not been sent. Canceled, it never is" in page.text
    after = ada.send(page.form("Cancel this refund"))
    assert "It is canceled. Nothing was sent." in after.text
    assert "It is canceled. Nothing was sent." not in ada.get(after.address).text
    assert world.app.queries.request(world.caller(), mine).state is State.CANCELED
    assert ada.send(page.form("Cancel this refund")).status == 200
    again = ada.send(
        ada.get(f"/console/e/test/refund-requests/{mine}/cancel").form("Record that it is not wanted")
    )
    assert again.status == 422
    assert "The request is canceled already." in again.text


def test_nobody_cancels_what_another_agent_asked_for(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    other = world.request(world.caller(), world.payment(5000), 700)
    address = f"/console/e/test/refund-requests/{other.id}"
    ada = visitor(Role.AGENT)
    assert "Cancel it" not in ada.get(address).text
    assert ada.get(f"{address}/cancel").status == 403
    # Whatever the page shows: what is sent by hand is refused by what cancels.
    own = ada.get(f"/console/e/test/refund-requests/{asked(ada, world.payment(5000), '3.00')}/cancel")
    refused = ada.send(replace(own.form("Cancel this refund"), action=f"{address}/cancel"))
    assert refused.status == 422
    assert "An agent speaks only for its own requests." in refused.text
    assert world.app.queries.request(world.caller(), other.id).state is State.QUEUED
    assert "Cancel it" in visitor(Role.OPERATOR).get(address).text


def test_the_allowance_is_what_the_limits_leave(visitor: Callable[[Role], Visitor]) -> None:
    page = visitor(Role.AGENT).get("/console/e/test/allowance")
    assert "at once" in page.text
    assert "$10,000.00 USD" in page.text


def test_a_question_is_answered_and_the_approver_looks_again(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    ada, ben = visitor(Role.AGENT), visitor(Role.APPROVER)
    mine = asked(ada, world.payment(50_000), "200.00")
    hold = f"/console/e/test/holds/hold_{mine.removeprefix('rr_')}"
    assert "No question waits" in ada.get(f"/console/e/test/refund-requests/{mine}/answer").text
    ben.send(ben.get(hold).form("Return with this question"), reason="Was it delivered?")
    waits = ada.get(MINE)
    assert [one.text for one in waits.all("a", href=MINE)] == ["My refunds 1 waiting"]
    assert "An approver asks you something Answer about $200.00 USD" in waits.text
    assert "your answer ; ends in" in waits.text
    request_page = ada.get(f"/console/e/test/refund-requests/{mine}")
    assert "The question Was it delivered?" in request_page.text
    page = ada.get(f"/console/e/test/refund-requests/{mine}/answer")
    assert "Was it delivered?" in page.text
    empty = ada.send(page.form("Send the answer"), text="  ")
    assert empty.status == 422
    done = ada.send(page.form("Send the answer"), text="It was, and it came back.")
    assert "Your answer is with the approvers." in done.text
    assert "It was, and it came back." in ben.get(hold).text
    assert "asks you something" not in ada.get(MINE).text
    assert [one.text for one in ada.get(MINE).all("a", href=MINE)] == ["My refunds"]


def test_of_many_questions_the_newest_are_named_and_counted_and_no_number_is_said_to_be_all(
    world: World, crew: Crew, app: Flask
) -> None:
    """Others of theirs that wait, however many and new, hide none of them."""
    ask, ben = Visitor(app), world.approver()
    ask.sign_in(crew.somebody("asked-much", {"test": [Role.AGENT]}), PASSWORD)
    first = asked(ask, world.payment(50_000), "200.00")
    queries = world.app.queries
    request = queries.request(world.operator, first)
    theirs = next(one for _, one in queries.credentials(world.operator) if one.id == request.requested_by)
    requester = Caller(theirs, (theirs,), "req_asks_much")
    more = [world.request(requester, world.payment(50_000), 20_000) for _ in range(20)]
    for one in (request, *more[:-1]):
        world.decide(ben, one, Choice.RETURN)
    page = ask.get(MINE)
    assert [one.text for one in page.all("a", href=MINE)] == ["My refunds 20 waiting"]
    assert (page.text.count("Answer about"), "There are more" in page.text) == (20, False)
    world.decide(ben, more[-1], Choice.RETURN)
    page = ask.get(MINE)
    assert [one.text for one in page.all("a", href=MINE)] == ["My refunds 20+ waiting"]
    assert (page.text.count("Answer about"), "There are more" in page.text) == (20, True)
    assert f"/console/e/test/refund-requests/{more[-1].id}/answer" in page.links


def test_what_was_said_of_a_request_is_not_for_other_agents(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    """RELIABILITY §5.2 T12: questions and answers speak of a customer as notes do."""
    ben, asker = visitor(Role.APPROVER), world.caller(name="a key of another")
    theirs = world.request(asker, world.payment(50_000), 20_000)
    ben.send(ben.get(f"/console/e/test/holds/{theirs.hold}").form("Return with this question"), reason="Ann?")
    page = f"/console/e/test/refund-requests/{theirs.id}"
    strange = visitor(Role.AGENT).get(f"{page}/answer")
    assert (strange.status, "Ann" in strange.html) == (403, False)
    assert "An agent speaks only for its own requests. Nothing was done" in strange.text
    assert "role" not in strange.text, "no role would change that"
    world.app.answer_question(asker, theirs.id, "Yes, Ann.", "an-answer-about-ann")
    assert "Sent back with a question" in visitor(Role.AGENT).get(page).text
    assert "Ann" not in visitor(Role.AGENT).get(page).html
    assert "Yes, Ann." in ben.get(page).text


def test_a_requester_reminds_the_approvers_who_see_that_it_was_asked_again(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    ada, ben = visitor(Role.AGENT), visitor(Role.APPROVER)
    mine = asked(ada, world.payment(50_000), "200.00")
    address = f"/console/e/test/refund-requests/{mine}/nudge"
    assert address in ada.get(MINE).links
    assert address in ada.get(f"/console/e/test/refund-requests/{mine}").links
    hold = world.app.queries.request(world.operator, mine).hold
    assert "again" not in ben.get(f"/console/e/test/holds/{hold}").text.partition("Who asks")[2][:200]
    form = ada.get(address).form("Remind them")
    for page in (ada.send(form), ada.send(form)):
        assert "Its approvers are reminded." in page.text
    assert page.text.count("Its approvers were reminded by") == 1
    soon = ada.send(ada.get(address).form("Remind them"))
    assert soon.status == 422
    assert "Approvers were reminded of it less than an hour ago." in soon.text
    rows = ben.get("/console/e/test/holds?view=team").all("tr")
    inbox = {one.attributes["href"]: row.text for row in rows for one in row.all() if one.tag == "a"}
    assert "again just now" in inbox[f"/console/e/test/holds/{hold}"]
    assert "again just now" in ben.get(f"/console/e/test/holds/{hold}").text


def test_nobody_reminds_of_what_is_not_theirs_or_waits_for_no_approver(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    ada = visitor(Role.AGENT)
    theirs = world.request(world.caller(), world.payment(50_000), 20_000)
    assert ada.get(f"/console/e/test/refund-requests/{theirs.id}/nudge").status == 403
    assert visitor(Role.APPROVER).get(f"/console/e/test/refund-requests/{theirs.id}/nudge").status == 403
    sent = asked(ada, world.payment(5000), "2.00")
    page = ada.get(f"/console/e/test/refund-requests/{sent}/nudge")
    assert "It waits for no approver." in page.text
    assert f"/console/e/test/refund-requests/{sent}/nudge" not in ada.get(MINE).links
