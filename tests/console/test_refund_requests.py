"""The list of refund requests, and the page of one."""

from collections.abc import Callable

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.outcome import Outcome, Reply
from tests.builders import World
from tests.console.browsing import Visitor
from tests.fakes.provider import FakeProvider
from tests.rules import a_rule
from workers.drain import drain

LIST = "/console/e/test/refund-requests"


@pytest.fixture(autouse=True, scope="module")
def _limits(world: World) -> None:
    world.limit(1_000_000)
    world.limit(1_000_000, currency="eur", approval_above=1)


@pytest.mark.parametrize("role", list(Role))
def test_everybody_sees_what_was_asked_for(
    world: World, visitor: Callable[[Role], Visitor], role: Role
) -> None:
    request = world.request(world.caller(), world.payment(5000), 1240)
    page = visitor(role).get(LIST)
    assert page.status == 200
    assert f"{LIST}/{request.id}" in page.links
    assert "$12.40" in page.text
    one = visitor(role).get(f"{LIST}/{request.id}")
    assert one.status == 200
    assert "Task Open Effect No money moved" in one.text


def test_a_note_is_read_by_its_asker_and_by_overseers_alone(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    """RELIABILITY §5.2 T12."""
    theirs = world.request(world.caller(), world.payment(), 100, note="Her name is Ann.")
    own = world.request(
        world.caller(name="a key of ada", agent="ada"), world.payment(), 100, note="It came broken."
    )
    for role in (Role.OPERATOR, Role.APPROVER, Role.AUDITOR):
        assert "Her name is Ann." in visitor(role).get(f"{LIST}/{theirs.id}").text
    assert "Ann" not in visitor(Role.AGENT).get(f"{LIST}/{theirs.id}").html
    assert "It came broken." in visitor(Role.AGENT).get(f"{LIST}/{own.id}").text


def test_a_page_of_the_list_leads_to_older_ones_with_the_same_filters(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    payment = world.payment(5000)
    made = [world.request(world.caller(), payment, 100 + number).id for number in range(3)]
    page = visitor(Role.OPERATOR).get(f"{LIST}?payment={payment}&state=&case=&limit=2")
    older = next(link for link in page.links if "after=" in link)
    rest = visitor(Role.OPERATOR).get(older)
    shown = [one.text for seen in (page, rest) for one in seen.all("th", scope="row")]
    assert shown == made[::-1]
    assert not [link for link in rest.links if "after=" in link]


@pytest.mark.parametrize(
    "query",
    [
        "state=refunded",
        "payment=x",
        "case=%C3%A9",
        "customer=1",
        "limit=0",
        "limit=1&limit=2",
        "after=x",
        "x=1",
    ],
)
def test_a_filter_that_cannot_be_shows_nothing_rather_than_everything(
    visitor: Callable[[Role], Visitor], query: str
) -> None:
    seen = visitor(Role.OPERATOR).get(f"{LIST}?{query}")
    assert (seen.status, seen.title) == (400, "This request cannot be read")


def test_the_filters_stay_as_they_were_chosen(visitor: Callable[[Role], Visitor]) -> None:
    form = visitor(Role.OPERATOR).get(LIST).form("Filter")
    seen = visitor(Role.OPERATOR).send(form, state="unknown", case="zd-9")
    again = seen.form("Filter")
    assert (again.value("state"), again.value("case")) == ("unknown", "ZD-9")
    assert "No refund request fits these filters" in seen.text


def test_the_whole_story_is_told_in_its_order(world: World, visitor: Callable[[Role], Visitor]) -> None:
    request = world.request(world.caller(), world.payment(5000, "eur"), 1240, currency="eur")
    approver = world.approver()
    world.decide(approver, request, Choice.APPROVE_LESS, amount=1000)
    drain(world.app, request.id)
    page = visitor(Role.AUDITOR).get(f"{LIST}/{request.id}")
    told = [one.text for one in page.all("ol", class_="story")[0].children if not isinstance(one, str)]
    words = [
        "Asked for, and held",
        "Approved in part: €10.00",
        "Taken up by a worker",
        "Stripe has the refund",
    ]
    assert [one[: len(word)] for one, word in zip(told, words, strict=True)] == words
    assert "of €12.40 EUR that were asked for" in page.text
    assert "Task Done Effect Money was refunded" in page.text


def test_what_is_in_doubt_says_so_and_what_not_to_do(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    """DESIGN §4: "Task stopped; one refund in doubt" is a normal display."""
    assert isinstance(world.provider, FakeProvider)
    # A worker takes along whatever waits: only this request is to meet the lost reply.
    drain(world.app, world.request(world.caller(), world.payment(), 100).id)
    payment = world.payment(5000)
    request = world.request(world.caller(), payment, 700)
    world.provider.answer_next(Reply(Outcome.UNKNOWN, "read_timeout"))
    drain(world.app, request.id)
    assert world.now(request).state == "unknown"
    world.app.cancel_refund(world.operator, request.id, "a-wish-of-the-operator")
    page = visitor(Role.AGENT).get(f"{LIST}/{request.id}")
    assert "Task Stopped Effect In doubt: money may have moved" in page.text
    assert "Do not ask for this refund again: it may have been made already." in page.text
    assert "it keeps its capacity until there is proof" in page.text
    other = world.request(world.caller(), payment, 800)
    beside = visitor(Role.AGENT).get(f"{LIST}/{other.id}")
    assert "Also in doubt on this payment" in beside.text
    assert f"{LIST}/{request.id}" in beside.links


def test_a_denial_says_why_and_shows_its_arithmetic(world: World, visitor: Callable[[Role], Visitor]) -> None:
    request = world.request(world.caller(), world.payment(5_000_000), 2_000_000)
    page = visitor(Role.AGENT).get(f"{LIST}/{request.id}")
    assert "Asked for, and denied: limit exceeded" in page.text
    assert "Limit Cap Used Left Asked Daily limit of the environment" in page.text
    assert "$20,000.00" in page.text


def test_a_request_that_is_not_there_is_a_page_that_says_so(visitor: Callable[[Role], Visitor]) -> None:
    seen = visitor(Role.AGENT).get(f"{LIST}/rr_00000000000000000000000000")
    assert (seen.status, seen.title) == (404, "There is nothing here")
    assert "req_" in seen.text


def test_a_request_leads_to_its_hold_its_key_and_its_limits_where_they_may_be_seen(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    limit = world.limit(1_000_000, currency="eur")
    request = world.request(world.caller(), world.payment(5000, "eur"), 1240, currency="eur")
    hold, key, cap = (
        f"/console/e/test/{one}"
        for one in (f"holds/{request.hold}", f"keys/{request.requested_by}", f"limits/{limit.id}")
    )
    leads = {role: {hold, key, cap} & set(visitor(role).get(f"{LIST}/{request.id}").links) for role in Role}
    assert leads == {
        Role.OPERATOR: {hold, key, cap},
        Role.AUDITOR: {hold, key, cap},
        Role.APPROVER: {hold, cap},
        Role.AGENT: set(),
    }
    for address in (hold, key, cap):
        assert visitor(Role.AUDITOR).get(address).status == 200


def test_what_never_waited_for_people_shows_no_hold(world: World, visitor: Callable[[Role], Visitor]) -> None:
    request = world.request(world.caller(), world.payment(), 100)
    assert "Hold" not in [one.text for one in visitor(Role.OPERATOR).get(f"{LIST}/{request.id}").all("dt")]


def test_a_payment_that_was_searched_for_can_be_refunded_by_agents(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    payment = world.payment(5000)
    for role in Role:
        page = visitor(role).get(f"{LIST}?payment={payment}")
        assert ("Refund this payment" in page.text) == (role is Role.AGENT)
    new = next(one for one in visitor(Role.AGENT).get(f"{LIST}?payment={payment}").links if "/new?" in one)
    assert "Can still be refunded $50.00 USD" in visitor(Role.AGENT).get(new).text


def test_a_story_names_people_and_not_their_keys(world: World, visitor: Callable[[Role], Visitor]) -> None:
    request = world.request(world.caller(agent="bot"), world.payment(5000, "eur"), 1240, currency="eur")
    approver = world.approver()
    world.decide(approver, request, Choice.REJECT)
    page = visitor(Role.AUDITOR).get(f"{LIST}/{request.id}")
    told = " ".join(one.text for one in page.all("ol", class_="story"))
    assert f"by bot, for {request.person}" in told
    assert f"Rejected by {approver.credential.owner}" in told
    assert "cred_" not in told


def test_whoever_was_refused_reads_why_and_can_ask_again_with_what_they_had_said(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    ada = visitor(Role.AGENT)
    payment = world.payment(5000, "eur")
    asker = world.caller(name="a second key of ada", agent="ada")
    request = world.request(asker, payment, 1240, currency="eur", case="ZD-8", reason="duplicate")
    world.decide(world.approver(), request, Choice.REJECT)
    page = ada.get(f"{LIST}/{request.id}")
    assert "An approver said no. Nothing was sent." in page.text
    assert "Why it was rejected reject, I looked" in page.text
    assert "For the customer" not in page.text
    again = next(one.attributes["href"] for one in page.all("a") if one.text == "Ask again")
    form = ada.get(again).form("Look at the verdict")
    assert [form.value(name) for name in ("payment", "case", "reason")] == [payment, "ZD-8", "duplicate"]
    stranger = world.request(world.caller(), world.payment(5000, "eur"), 1240, currency="eur")
    world.decide(world.approver(), stranger, Choice.REJECT)
    assert "I looked" not in ada.get(f"{LIST}/{stranger.id}").text


def test_the_question_stays_the_question_whatever_another_approver_has_said_since(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    world.limit(1_000_000, currency="gbp")
    a_rule(world, quorum=2, currency="gbp")
    ada = world.caller(name="a third key of ada", agent="ada")
    request = world.request(ada, world.payment(5000, "gbp"), 1240, currency="gbp")
    world.decide(world.approver(), request, Choice.RETURN)
    world.decide(world.approver("another approver"), request, Choice.APPROVE)
    address = f"{LIST}/{request.id}"
    page = visitor(Role.AGENT).get(address)
    assert "The question return, I looked" in page.text
    assert f"{address}/answer" in page.links
    world.app.answer_question(ada, request.id, "It was broken.", "an-answer-of-ada")
    assert "The question return" not in visitor(Role.AGENT).get(address).text


def test_the_words_for_the_customer_are_for_whoever_speaks_with_customers(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    request = world.request(world.caller(), world.payment(5000), 1240)
    drain(world.app, request.id)
    seen = {
        role: "We have refunded $12.40" in visitor(role).get(f"{LIST}/{request.id}").text for role in Role
    }
    assert seen == {role: role is Role.AGENT for role in Role}
