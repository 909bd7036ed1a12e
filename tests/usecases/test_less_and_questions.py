"""Approving less, returning with a question, answering: what each does to capacity, versions and earlier votes."""

from collections.abc import Callable

import pytest

from governor.domain.admission import Denial, NextAction
from governor.domain.approval import Ballot, Choice
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Conflict, Forbidden, Invalid
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.credential_drafts import CredentialDraft
from tests.builders import World, ask, fresh_key
from tests.rules import a_rule


def _answer(world: World, caller: Caller, request: RefundRequest, text: str = "the red one") -> RefundRequest:
    return world.app.answer_question(caller, request.id, text, fresh_key("answer")).request


def test_less_gives_the_difference_back_at_once_on_every_limit_and_the_payment(world: World) -> None:
    """Amounts shrink, counts stay: one refund is one refund, however small."""
    limits = [
        world.limit(2000, approval_above=1000),
        world.limit(5000, scope=Scope.PAYMENT),
        world.limit(3000, scope=Scope.AGENT),
    ]
    count = world.limit(3, measure=Measure.COUNT)
    agent, payment = world.caller(), world.payment(1800)
    waits = world.request(agent, payment, 1500)
    less = world.decide(world.approver(), waits, Choice.APPROVE_LESS, amount=600)
    assert (less.state, less.amount_minor, less.asked_amount_minor) == (State.QUEUED, 600, 1500)
    assert [world.headroom(limit) for limit in limits] == [1400, 4400, 2400]
    assert world.headroom(count) == 2
    assert world.request(agent, payment, 1000).state is State.QUEUED, "of the payment, too, 1200 are free"
    world.drain(less)
    assert (world.now(waits).state, world.now(waits).moved_minor) == (State.SUCCEEDED, 600)
    assert [write["amount"] for write in world.writes(payment)] == [600, 1000]


def test_the_key_still_names_the_same_intent_after_less_was_approved(world: World) -> None:
    """What was asked under the key is what was asked: a repeat is a replay, and a retry is no second refund."""
    world.limit(2000, approval_above=1000)
    agent, payment, key = world.caller(), world.payment(5000), fresh_key()
    waits = world.answer(agent, ask(payment, 1500), key).request
    world.decide(world.approver(), waits, Choice.APPROVE_LESS, amount=600)
    again = world.answer(agent, ask(payment, 1500), key)
    assert (again.replayed, again.request.id, again.request.amount_minor) == (True, waits.id, 600)
    with pytest.raises(Invalid) as other:
        world.answer(agent, ask(payment, 600), key)
    assert other.value.code == "idempotency_key_reused"


@pytest.mark.parametrize("amount", [1500, 600])
def test_the_same_intent_under_another_key_is_a_duplicate_by_what_was_asked_and_by_what_is_left(
    world: World, amount: int
) -> None:
    """Asking again gets the same hold named, whether the caller knows that less was approved or not."""
    world.limit(5000, approval_above=1000)
    agent, payment = world.caller(), world.payment(5000)
    waits = world.request(agent, payment, 1500)
    world.decide(world.approver(), waits, Choice.APPROVE_LESS, amount=600)
    again = world.request(agent, payment, amount)
    assert (again.denial, again.duplicate_of) == (Denial.POSSIBLE_DUPLICATE, waits.id)


def test_asking_again_while_it_waits_is_the_same_hold(world: World) -> None:
    """The same key replays it; another key is told which one waits."""
    world.limit(5000, approval_above=1000)
    agent, payment, key = world.caller(), world.payment(5000), fresh_key()
    waits = world.answer(agent, ask(payment, 1500), key).request
    again = world.answer(agent, ask(payment, 1500), key)
    assert (again.replayed, again.request.hold) == (True, waits.hold)
    other = world.request(agent, payment, 1500)
    assert (other.state, other.denial, other.duplicate_of) == (
        State.DENIED,
        Denial.POSSIBLE_DUPLICATE,
        waits.id,
    )


def test_who_approved_more_has_not_approved_less(world: World) -> None:
    """All who approve must have approved the same amount; the room is given back before the last has."""
    limit = world.limit(2000, approval_above=1000)
    a_rule(world, quorum=2)
    waits = world.request(world.caller(), world.payment(5000), 1500)
    first, second, third = (world.approver(name) for name in ("first", "second", "third"))
    assert world.decide(first, waits, Choice.APPROVE).state is State.PENDING_APPROVAL
    less = world.decide(second, waits, Choice.APPROVE_LESS, amount=600)
    assert (less.state, less.hold_version, world.headroom(limit)) == (State.PENDING_APPROVAL, 2, 1400)
    hold, votes = world.app.queries.hold(first, waits.hold or "")
    assert hold.approvals == {second.credential.owner}
    assert [(vote.choice, vote.amount_minor) for vote, _ in votes] == [
        (Choice.APPROVE, 1500),
        (Choice.APPROVE_LESS, 600),
    ]
    with pytest.raises(Conflict) as twice:
        world.decide(second, waits, Choice.APPROVE)
    assert twice.value.code == "hold_already_decided"
    assert world.decide(first, waits, Choice.APPROVE).state is State.QUEUED, (
        "who approved more may approve less"
    )
    with pytest.raises(Conflict):
        world.decide(third, waits, Choice.REJECT)
    world.drain(waits)
    assert [write["amount"] for write in world.writes()] == [600]


def test_less_can_be_made_less_again_and_never_more(world: World) -> None:
    limit = world.limit(2000, approval_above=1000)
    a_rule(world, quorum=2)
    waits = world.request(world.caller(), world.payment(5000), 1500)
    first, second = world.approver("first"), world.approver("second")
    world.decide(first, waits, Choice.APPROVE_LESS, amount=600)
    with pytest.raises(Invalid) as more:
        world.decide(second, waits, Choice.APPROVE_LESS, amount=600)
    assert [error.code for error in more.value.errors] == ["amount_not_less"]
    least = world.decide(second, waits, Choice.APPROVE_LESS, amount=100)
    assert (least.state, world.headroom(limit)) == (State.PENDING_APPROVAL, 1900)
    assert world.decide(first, waits, Choice.APPROVE).amount_minor == 100


def test_an_approver_may_allow_as_much_of_it_as_they_may_approve(world: World) -> None:
    world.limit(2000, approval_above=0)
    waits = world.request(world.caller(), world.payment(5000), 1500)
    draft = CredentialDraft("small", Role.APPROVER, Kind.HUMAN, "sam", None, approve_up_to={"usd": 900})
    small = world.app.authenticate(world.app.manage_credentials.found(world.environment, draft)[1])
    with pytest.raises(Forbidden) as above:
        world.decide(small, waits, Choice.APPROVE_LESS, amount=901)
    assert above.value.code == "above_own_limit"
    assert world.decide(small, waits, Choice.APPROVE_LESS, amount=900).state is State.QUEUED


def test_a_question_keeps_hold_capacity_and_expiry_and_says_that_an_answer_is_wanted(world: World) -> None:
    limit = world.limit(2000, approval_above=1000)
    agent = world.caller()
    waits = world.request(agent, world.payment(5000), 1500)
    asked = world.decide(world.approver(), waits, Choice.RETURN)
    assert (asked.state, asked.next_action) == (State.PENDING_APPROVAL, NextAction.ANSWER_QUESTION)
    assert (asked.expires_at, asked.hold_version, world.headroom(limit)) == (waits.expires_at, 2, 500)
    answered = _answer(world, agent, asked)
    assert (answered.next_action, answered.hold_version) == (NextAction.ASK_APPROVER, 3)
    assert [(said["kind"], said["text"]) for said in answered.shown["conversation"]] == [
        ("question", "return, I looked"),
        ("answer", "the red one"),
    ]
    assert world.decide(world.approver("other"), waits, Choice.APPROVE).state is State.QUEUED


def test_approvals_from_before_a_question_count_no_more_and_their_digest_is_stale(world: World) -> None:
    world.limit(2000, approval_above=1000)
    agent = world.caller()
    a_rule(world, quorum=2)
    waits = world.request(agent, world.payment(5000), 1500)
    first, second, third = (world.approver(name) for name in ("first", "second", "third"))
    seen, _ = world.app.queries.hold(third, waits.hold or "")
    late = Ballot(Choice.APPROVE, seen.digest, seen.version)
    world.decide(first, waits, Choice.APPROVE)
    world.decide(second, waits, Choice.RETURN)
    _answer(world, agent, waits)
    with pytest.raises(Conflict) as stale:
        world.app.decide_hold(third, waits.hold or "", late, fresh_key())
    assert stale.value.code == "hold_changed"
    (changed,) = stale.value.extra["changes"]
    assert (changed["member"], changed["before"], len(changed["now"])) == ("conversation", [], 2)
    assert world.decide(second, waits, Choice.APPROVE).state is State.PENDING_APPROVAL, (
        "the first one's is void"
    )
    assert world.decide(first, waits, Choice.APPROVE).state is State.QUEUED


def test_one_vote_of_two_leaves_it_waiting_wherever_it_was_asked(world: World) -> None:
    """Case 76: the quorum is the request's own; nothing is sent on the first vote."""
    world.limit(2000, approval_above=1000)
    a_rule(world, quorum=2)
    waits = world.request(world.caller(), world.payment(5000), 1500)
    first = world.decide(world.approver("first"), waits, Choice.APPROVE)
    assert (first.state, world.drain(waits), world.writes()) == (State.PENDING_APPROVAL, 0, [])
    same = world.approver("first again", owner="owner of first")
    with pytest.raises(Conflict) as twice:
        world.decide(same, waits, Choice.APPROVE)
    assert twice.value.code == "hold_already_decided", "a person, not a key"
    assert world.decide(world.approver("second"), waits, Choice.APPROVE).state is State.QUEUED


def test_whoever_has_approved_may_still_say_no(world: World) -> None:
    limit = world.limit(2000, approval_above=1000)
    a_rule(world, quorum=2)
    waits = world.request(world.caller(), world.payment(5000), 1500)
    first = world.approver("first")
    world.decide(first, waits, Choice.APPROVE)
    assert world.decide(first, waits, Choice.REJECT).state is State.REJECTED
    assert world.headroom(limit) == 2000


def test_only_who_asked_or_delegated_answers_and_only_what_was_asked(world: World) -> None:
    world.limit(2000, approval_above=1000)
    agent = world.caller()
    waits = world.request(agent, world.payment(5000), 1500)
    with pytest.raises(Conflict) as nothing:
        _answer(world, agent, waits)
    assert nothing.value.code == "nothing_asked"
    world.decide(world.approver(), waits, Choice.RETURN)
    with pytest.raises(Forbidden) as stranger:
        _answer(world, world.caller(name="stranger"), waits)
    assert stranger.value.code == "not_yours"
    with pytest.raises(Forbidden) as role:
        _answer(world, world.approver("nosy"), waits)
    assert role.value.code == "role_not_allowed"
    with pytest.raises(Invalid):
        _answer(world, agent, waits, " \u200b ")
    assert _answer(world, agent, waits).hold_version == 3


def test_an_answer_repeated_under_its_key_is_one_answer(world: World) -> None:
    world.limit(2000, approval_above=1000)
    agent, key = world.caller(), fresh_key("answer")
    waits = world.request(agent, world.payment(5000), 1500)
    world.decide(world.approver(), waits, Choice.RETURN)
    answers = [world.app.answer_question(agent, waits.id, "the red one", key) for _ in range(2)]
    assert [one.replayed for one in answers] == [False, True]
    assert answers[1].request.hold_version == 3


def test_nobody_answers_what_is_decided_or_over(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True, approval_seconds=600)
    world.limit(5000, approval_above=1000)
    agent, approver = world.caller(), world.approver()
    decided, late = (world.request(agent, world.payment(5000), 1500) for _ in range(2))
    for one in (decided, late):
        world.decide(approver, one, Choice.RETURN)
    world.decide(approver, decided, Choice.REJECT)
    with pytest.raises(Conflict) as over:
        _answer(world, agent, decided)
    assert over.value.code == "hold_already_decided"
    world.advance(601)
    with pytest.raises(Conflict) as expired:
        _answer(world, agent, late)
    assert (expired.value.code, "Submit the request again" in expired.value.detail) == ("hold_expired", True)
