"""Deciding holds in the console: the inbox, everything one has to know, and one decision of any number of clicks."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope
from governor.domain.requests import RefundRequest
from governor.domain.rules import Conditions, Consequence, Cumulative, RuleEffect, RuleMode
from governor.domain.windows import WindowKind
from governor.usecases.rule_drafts import RuleDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, SentForm, Visitor
from tests.console.crew import PASSWORD, Crew

INBOX = "/console/e/test/holds"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(10_000_000, approval_above=10_000)


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


def held(world: World, amount: int = 20_000, **fields: Any) -> RefundRequest:
    request = world.request(world.caller(), world.payment(50_000), amount, **fields)
    assert request.state is State.PENDING_APPROVAL
    return request


def state_of(world: World, request: RefundRequest) -> tuple[State, int]:
    now = world.app.queries.request(world.caller(), request.id)
    return now.state, now.amount_minor


def page_of(visitor: Visitor, request: RefundRequest) -> Seen:
    return visitor.get(f"{INBOX}/{request.hold}")


def test_the_inbox_shows_what_waits_with_the_most_at_stake_first(world: World, ben: Visitor) -> None:
    small, large = held(world, 15_000), held(world, 45_000)
    links = ben.get(INBOX).links
    assert links.index(f"{INBOX}/{large.hold}") < links.index(f"{INBOX}/{small.hold}")


def test_what_is_asked_for_since_is_announced_to_an_open_list(world: World, ben: Visitor) -> None:
    open_list = ben.get(f"{INBOX}?view=team")
    watched = next(one for one in open_list.all("div") if one.attributes.get("id") == "appeared")
    address = watched.attributes["hx-get"]
    assert "New requests wait." not in ben.get(address).text
    request = held(world)
    seen = ben.get(address)
    (told,) = [one for one in seen.all("div") if one.attributes.get("id") == "appeared"]
    assert told.text == "New requests wait. Look at the list as it is now"
    assert "hx-get" not in told.attributes, "it is said once"
    assert f"{INBOX}/{request.hold}" in ben.get(f"{INBOX}?view=team").links
    assert "New requests wait." not in ben.get(f"{INBOX}?view=team").text
    assert ben.get(f"{INBOX}?since=lately").status == 400
    assert "New requests wait." in ben.get(f"{INBOX}?view=team&since=2020-01-01").text, (
        "a day is a moment, too"
    )
    assert ben.get(f"{INBOX}/decided?before=2026-11-30").status == 200
    assert ben.get(f"{INBOX}/decided?before=0001-01-01").status == 400


def test_approving_sends_it_and_says_so_once(world: World, ben: Visitor) -> None:
    request = held(world)
    form = page_of(ben, request).form("Approve $200.00")
    after = ben.send(form)
    assert "You approved $200.00, and it is on its way." in after.text
    assert state_of(world, request) == (State.QUEUED, 20_000)
    again = ben.send(form)
    assert again.status == 200
    assert len(world.app.queries.hold(world.caller(Role.APPROVER), request.hold or "")[1]) == 1


def test_back_after_deciding_says_that_it_is_decided(world: World, ben: Visitor) -> None:
    request = held(world)
    page = page_of(ben, request)
    ben.send(page.form("Reject"), reason="not ours to pay")
    late = ben.send(page_of_anew(page), reason="")
    assert late.status == 422
    assert "It is decided already: the request is rejected." in late.text
    assert state_of(world, request)[0] is State.REJECTED
    assert "It goes out at once" not in late.text
    assert "Undecided, it expires" not in late.text


def page_of_anew(page: Seen) -> SentForm:
    """The form of an older page, as another tab would send it: with another key."""
    form, once = page.form("Approve $200.00"), "form-another-tab-of-theirs"
    fields = [(name, once if name == "once" else value) for name, value in form.fields]
    return SentForm(form.method, form.action, fields)


def test_a_reason_can_start_from_usual_words(world: World, ben: Visitor) -> None:
    request = held(world)
    usual = [
        link for link in page_of(ben, request).links if link.startswith(f"{INBOX}/{request.hold}?reason=")
    ]
    assert len(usual) >= 3
    form = ben.get(usual[0]).form("Reject")
    assert form.value("reason") == "This was refunded already."
    assert state_of(world, request)[0] is State.PENDING_APPROVAL
    ben.send(form)
    assert state_of(world, request)[0] is State.REJECTED


def test_less_can_be_approved_and_no_more_than_that_is_sent(world: World, ben: Visitor) -> None:
    request = held(world)
    ben.send(page_of(ben, request).form("Approve only this much"), amount="150.00")
    assert state_of(world, request) == (State.QUEUED, 15_000)


@pytest.mark.parametrize(
    ("amount", "words"),
    [("", "Say how much"), ("200.00", "not less than what is asked"), ("1.500,00", "A mark between digits")],
)
def test_an_amount_that_is_not_less_is_refused_where_it_was_typed(
    world: World, ben: Visitor, amount: str, words: str
) -> None:
    request = held(world)
    page = ben.send(page_of(ben, request).form("Approve only this much"), amount=amount)
    assert page.status == 422
    assert words in page.text
    assert state_of(world, request) == (State.PENDING_APPROVAL, 20_000)


@pytest.mark.parametrize(
    ("button", "words"),
    [("Reject", "Say why you reject it."), ("Return with this question", "Say what you want to know.")],
)
def test_saying_no_needs_a_reason(world: World, ben: Visitor, button: str, words: str) -> None:
    request = held(world)
    page = ben.send(page_of(ben, request).form(button), reason="  ")
    assert page.status == 422
    (said,) = page.all("p", class_="question-error")
    assert words in said.text
    assert state_of(world, request)[0] is State.PENDING_APPROVAL


def test_a_question_makes_what_others_saw_stale_and_they_are_shown_the_difference(
    world: World, ben: Visitor, crew: Crew, app: object
) -> None:
    request = held(world)
    other = Visitor(app)
    other.sign_in(crew.somebody("bo", {"test": [Role.APPROVER]}), PASSWORD)
    seen_before = page_of(other, request).form("Approve $200.00")
    ben.send(page_of(ben, request).form("Return with this question"), reason="Was it delivered?")
    page = other.send(seen_before)
    assert page.status == 422
    (changed,) = page.all("div", role="alert", class_="stack")
    assert "It changed while you were looking" in changed.text
    assert "Asked meanwhile Was it delivered? , by ben" in changed.text
    assert "kind" not in changed.text
    assert state_of(world, request)[0] is State.PENDING_APPROVAL
    other.send(page.form("Approve $200.00"))
    assert state_of(world, request)[0] is State.QUEUED


def test_whoever_asked_sees_why_they_cannot_decide(world: World, crew: Crew, app: object) -> None:
    both = Visitor(app)
    both.sign_in(crew.somebody("cy", {"test": [Role.AGENT, Role.APPROVER]}), PASSWORD)
    payment = world.payment(50_000)
    ask = both.get(f"/console/e/test/refunds/new?payment={payment}").form("Look at the verdict")
    result = both.send(both.send(ask, amount="200.00").form("Ask to refund $200.00"))
    hold = f"hold_{result.address.rpartition('/')[2].removeprefix('rr_')}"
    page = both.get(f"{INBOX}/{hold}")
    assert "You asked for it, or act for whoever did: somebody else has to decide." in page.text
    assert not any(one.text.startswith("Approve") for one in page.all("button"))
    assert f"{INBOX}/{hold}" not in both.get(f"{INBOX}?view=mine").links
    assert f"{INBOX}/{hold}" in both.get(f"{INBOX}?view=team").links


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.AUDITOR])
def test_others_look_and_cannot_decide(
    world: World, visitor: Callable[[Role], Visitor], ben: Visitor, role: Role
) -> None:
    request = held(world)
    page = page_of(visitor(role), request)
    assert page.status == 200
    assert not any(one.text.startswith("Approve") for one in page.all("button"))
    form = page_of(ben, request).form("Approve $200.00")
    assert visitor(role).post(form.action, form.fields).status == 403
    assert state_of(world, request)[0] is State.PENDING_APPROVAL


def test_absent_facts_are_said_to_be_absent(world: World, ben: Visitor) -> None:
    text = page_of(ben, held(world)).text
    for words in ("No note was given.", "no case", "not given", "The payment names none: nothing is known"):
        assert words in text


def test_an_approver_sees_what_the_asker_did_before_and_what_looks_alike(world: World, ben: Visitor) -> None:
    agent = world.caller(Role.AGENT, kind=Kind.PROGRAM)
    payment = world.payment(90_000, customer="cus_often")
    world.request(agent, payment, 500)
    request = world.request(agent, payment, 30_000)
    text = page_of(ben, request).text
    assert "A program" in text
    assert "1 asked; queued: 1" in text
    assert "$5.00 USD of this payment, queued" in text
    assert "2 requests for this customer within two hours." in text


def test_what_one_has_decided_is_looked_at_again(world: World, ben: Visitor) -> None:
    requests = [held(world) for _ in range(3)]
    for request in requests:
        ben.send(page_of(ben, request).form("Reject"), reason="twice is enough")
    page = ben.get(f"{INBOX}/decided?limit=2")
    assert "Rejected: twice is enough" in page.text
    newest = [link for link in page.links if link.startswith(f"{INBOX}/hold_")]
    assert newest == [f"{INBOX}/{one.hold}" for one in reversed(requests[1:])]
    older = ben.get(page.all("a", rel="next")[0].attributes["href"])
    assert f"{INBOX}/{requests[0].hold}" in older.links


def test_an_approver_sees_who_else_may_approve(world: World, ben: Visitor, crew: Crew) -> None:
    crew.somebody("hal", {"test": [Role.APPROVER]})
    assert "hal" in page_of(ben, held(world)).text


def test_a_rule_that_counts_refunds_shows_counts_and_one_that_sums_shows_money(
    world: World, ben: Visitor
) -> None:
    customer = Cumulative(Scope.CUSTOMER, Measure.COUNT, WindowKind.DAY, None, "UTC", 2)
    for name, when in (
        ("Often", Conditions(cumulative=customer)),
        (
            "Much",
            Conditions(currency="usd", cumulative=replace(customer, measure=Measure.AMOUNT, at_least=600)),
        ),
    ):
        draft = RuleDraft(name, RuleMode.ENFORCE, None, when, Consequence(RuleEffect.APPROVAL, 1))
        world.app.rules.change.create(world.operator, draft, fresh_key("rule"))
    payment = world.payment(50_000, customer="cus_counted")
    world.request(world.caller(), payment, 500)
    request = world.request(world.caller(), payment, 400)
    text = page_of(ben, request).text
    assert "what adds up for cus_counted : threshold 2 , so far 1 , this makes 2" in text
    assert "cus_counted : threshold $6.00 USD , so far $5.00 USD , this makes $9.00 USD" in text
