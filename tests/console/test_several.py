"""Deciding several holds at once: what belongs together, line by line, and what becomes of each."""

from collections.abc import Callable
from typing import Any

import pytest

from governor.api.problems import PROBLEMS
from governor.console.approve.several_words import WHY_LEFT
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.ports.records import TrailFilter
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, SentForm, Visitor
from tests.console.crew import PASSWORD
from tests.rules import a_rule

INBOX = "/console/e/test/holds"
SEVERAL = f"{INBOX}/several"
LOOK = "Look at the selected ones"
Held = Callable[..., RefundRequest]


@pytest.fixture(autouse=True, scope="module")
def _limits(world: World) -> None:
    world.limit(10_000_000, approval_above=10_000)
    world.limit(10_000_000, currency="eur", approval_above=10_000)
    a_rule(world, reasons=("fraudulent",))


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


@pytest.fixture
def held(world: World) -> Held:
    """A request that waits; each is of a customer of its own unless one is named."""

    def ask(
        amount: int = 20_000, customer: str | None = None, currency: str = "usd", **fields: Any
    ) -> RefundRequest:
        payment = world.payment(50_000, currency, customer or fresh_key("cus"))
        request = world.request(world.caller(), payment, amount, currency=currency, **fields)
        assert request.state is State.PENDING_APPROVAL
        return request

    return ask


def selected(visitor: Visitor, *requests: RefundRequest) -> Seen:
    """What somebody sees who has ticked these in the list."""
    page = visitor.get(f"{INBOX}?view=team")
    ticks = {one.attributes["value"].partition(":")[0]: one for one in page.all("input", name="line")}
    assert not any("checked" in one.attributes for one in ticks.values()), "nothing is selected beforehand"
    chosen = [ticks[one.hold or ""].attributes["value"] for one in requests]
    return visitor.send(page.form(LOOK), line=chosen)


def with_yes(form: SentForm) -> list[tuple[str, str]]:
    """The fields of a form that offers no yes, with one."""
    return [(name, "approve" if name == "choice" else text) for name, text in form.fields]


def states(world: World, *requests: RefundRequest) -> list[State]:
    return [world.now(one).state for one in requests]


def votes_on(world: World, request: RefundRequest) -> list[str | None]:
    return [vote.reason for vote, _ in world.app.queries.hold(world.operator, request.hold or "")[1]]


def test_no_is_said_to_many_with_one_reason_and_each_has_its_own_record(
    world: World, ben: Visitor, held: Held
) -> None:
    requests = [held(), held(reason="fraudulent"), held(currency="eur")]
    review = selected(ben, *requests)
    for request in requests:
        assert request.payment in review.text
    assert "They cannot be approved together." in review.text
    done = ben.send(review.form("Reject 3"), reason="Outside of the policy")
    assert done.address.startswith(f"{SEVERAL}/done")
    assert "3 rejected." in done.text
    assert states(world, *requests) == [State.REJECTED] * 3
    assert [votes_on(world, one) for one in requests] == [["Outside of the policy"]] * 3
    chosen = TrailFilter(objects=tuple(one.id for one in requests), actions=("hold.decided",))
    with world.app.store.reading() as reads:
        told = reads.audit("test", after=0, at_most=50, chosen=chosen)
    assert {row.entry.object for row in told} == {one.id for one in requests}


def test_what_was_decided_or_changed_meanwhile_is_left_and_said(
    world: World, ben: Visitor, held: Held, bo: Visitor
) -> None:
    gone, changed, still = held(), held(), held()
    review = selected(ben, gone, changed, still)
    bo.send(bo.get(f"{INBOX}/{gone.hold}").form("Reject"), reason="twice")
    bo.send(bo.get(f"{INBOX}/{changed.hold}").form("Return with this question"), reason="Which one?")
    form = review.form("Return 3 with this question")
    done = ben.send(form, reason="Was it delivered?")
    for words in (
        "1 sent back with your question, 2 left as they were.",
        "It was decided already, or you had approved it.",
        "It changed after you had looked: look at it again.",
    ):
        assert words in done.text
    assert votes_on(world, still) == ["Was it delivered?"]
    assert votes_on(world, changed) == ["Which one?"]
    again = ben.send(form, reason="Was it delivered?")
    assert "1 sent back with your question" in again.text, "a repeat says the same"
    assert votes_on(world, still) == ["Was it delivered?"], "and does nothing again"


def test_a_no_without_a_reason_is_said_to_nobody(world: World, ben: Visitor, held: Held) -> None:
    requests = held(), held()
    refused = ben.send(selected(ben, *requests).form("Reject 2"), reason=" ")
    assert (refused.status, "Say why you reject it." in refused.text) == (422, True)
    assert states(world, *requests) == [State.PENDING_APPROVAL] * 2
    assert "2 rejected." in ben.send(refused.form("Reject 2"), reason="No").text


@pytest.mark.parametrize(
    ("fields", "together"),
    [
        ([{"customer": "cus_same"}, {"customer": "cus_same", "reason": "fraudulent"}], True),
        ([{}, {}], True),
        ([{"reason": "fraudulent"}, {"reason": "fraudulent"}], True),
        ([{}, {"reason": "fraudulent"}], False),
        ([{"customer": "cus_two"}, {"customer": "cus_two", "currency": "eur"}], False),
    ],
    ids=["one customer", "one limit", "one rule", "neither", "two currencies"],
)
def test_yes_is_said_to_many_only_where_they_belong_together(
    world: World,
    ben: Visitor,
    held: Held,
    fields: list[dict[str, Any]],
    together: bool,
) -> None:
    requests = [held(**one) for one in fields]
    review = selected(ben, *requests)
    if together:
        assert "2 approved." in ben.send(review.form("Approve 2: $400.00")).text
        assert states(world, *requests) == [State.QUEUED] * 2
        return
    assert not any(one.text.startswith("Approve") for one in review.all("button"))
    refused = ben.post(SEVERAL, with_yes(review.form("Reject 2")))
    assert (refused.status, "What is approved together" in refused.text) == (422, True)
    assert states(world, *requests) == [State.PENDING_APPROVAL] * 2


def test_no_more_than_twenty_are_approved_at_once(world: World, ben: Visitor, held: Held) -> None:
    requests = [held(customer="cus_many") for _ in range(21)]
    review = selected(ben, *requests)
    assert "At most 20 are approved at once; select fewer." in review.text
    assert ben.post(SEVERAL, with_yes(review.form("Reject 21"))).status == 422
    assert set(states(world, *requests)) == {State.PENDING_APPROVAL}
    assert "21 rejected." in ben.send(review.form("Reject 21"), reason="A flood").text


def test_every_line_shows_what_must_not_be_overlooked(world: World, ben: Visitor, held: Held) -> None:
    first = held(customer="cus_warned", note="<i>please</i>")
    twin = world.request(world.caller(), first.payment, 15_000)
    beside = held(customer="cus_warned")
    world.app.approval_desk.attention.look(world.approver("cy", owner="cy"), first.hold or "")
    review = selected(ben, first, twin)
    for words in (
        "1 more of these is of the same payment.",
        "1 more of this customer waits, and is not selected.",
        "cy is looking at it.",
        "It ends within the hour.",
        "<i>please</i>",
        "No note was given.",
    ):
        assert words in review.text
    for request in (first, twin):
        hold = world.app.queries.hold(world.operator, request.hold or "")[0]
        assert f"digest {hold.digest[7:19]}" in review.text
    assert f"{INBOX}/{beside.hold}" not in review.links


def test_the_sum_takes_what_one_such_amount_takes(
    world: World, ben: Visitor, held: Held, asks: Callable[..., None], proved_long_ago: Callable[[], None]
) -> None:
    asks(prove={"usd": 30_000}, typed={"usd": 30_000})
    requests = held(), held()
    proved_long_ago()
    approve = "Approve 2: $400.00"
    review = selected(ben, *requests)
    assert "you are asked to before it counts" in review.text
    for typed, words in (("", "Type the amount"), ("200.00", "This is not the amount")):
        refused = ben.send(review.form(approve), typed_amount=typed)
        assert (refused.status, words in refused.text) == (422, True)
    asked = ben.send(review.form(approve), typed_amount="400.00")
    assert (asked.status, asked.title) == (403, "Prove that it is you")
    assert states(world, *requests) == [State.PENDING_APPROVAL] * 2
    proved = ben.send(asked.form("Go on"), password=PASSWORD)
    assert "2 approved." in ben.send(proved.form("Go on")).text


def test_what_takes_its_own_amount_typed_is_approved_by_itself_and_can_be_left_out(
    world: World, ben: Visitor, held: Held, asks: Callable[..., None]
) -> None:
    large, small = held(30_000), held(15_000)
    asks(typed={"usd": 29_999})
    review = selected(ben, large, small)
    assert "It is so large that its amount is typed: approve it by itself." in review.text
    assert "They cannot be approved together. One of these is so large" in review.text
    refused = ben.post(SEVERAL, with_yes(review.form("Reject 2")))
    assert (refused.status, "approve it by itself" in refused.text) == (422, True)
    fewer = ben.send(review.form(f"Leave out $300.00 of {large.payment}"), reason="agreed by phone")
    assert f"{INBOX}/{large.hold}" not in fewer.links
    assert "waits no more" not in fewer.text
    ben.send(fewer.form("Approve 1: $150.00"))
    assert votes_on(world, small) == ["agreed by phone"]
    assert states(world, large, small) == [State.PENDING_APPROVAL, State.QUEUED]


def test_nobody_else_decides_and_nothing_of_elsewhere_is_decided(
    world: World, ben: Visitor, held: Held, visitor: Callable[[Role], Visitor]
) -> None:
    request = held()
    form = selected(ben, request).form("Reject 1")
    for role in (Role.AGENT, Role.OPERATOR, Role.AUDITOR):
        assert visitor(role).post(SEVERAL, form.fields).status == 403
    assert not visitor(Role.OPERATOR).get(INBOX).all("input", name="line")
    digest = f"sha256:{'0' * 64}"
    for line, words in (
        (f"hold_00000000:1:{digest}", "There is no such hold."),
        (f"{request.hold}:1:nonsense", "This is no line of the list."),
    ):
        refused = ben.send(form, line=line, reason="No")
        assert (refused.status, words in refused.text) == (422, True), line
    assert states(world, request) == [State.PENDING_APPROVAL]


def test_every_reason_why_one_is_left_is_one_that_somebody_gives() -> None:
    assert set(WHY_LEFT) - set(PROBLEMS) == set()


def test_what_became_of_several_is_told_to_nobody_but_whoever_decided(
    ben: Visitor, held: Held, bo: Visitor
) -> None:
    request = held()
    done = ben.send(selected(ben, request).form("Reject 1"), reason="No")
    assert request.payment in done.text
    for seen in (bo.get(done.address), ben.get(f"{SEVERAL}/done?told=bm90aGluZw")):
        assert "Nothing was decided here" in seen.text
