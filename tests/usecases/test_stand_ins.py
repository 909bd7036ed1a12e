"""Stand-ins: whose place counts, how far it reaches, and that nobody comes by a second approval."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Forbidden
from governor.domain.lifecycle import State
from governor.usecases.callers import Caller
from governor.usecases.credential_drafts import CredentialDraft
from tests.builders import World, fresh_key
from tests.rules import a_rule
from tests.usecases.standing_in import WEEK, approver, held, named, said
from tests.usecases.standing_in import lea as lea
from tests.usecases.standing_in import sam as sam
from tests.usecases.standing_in import world as world


def test_a_stand_in_approves_in_the_place_of_who_is_away(world: World, lea: Caller, sam: Caller) -> None:
    request = held(world)
    assert said(world, sam, request) == "not_asked"
    named(world, lea, sam)
    assert world.app.approval_desk.waiting(sam)[0].why_not is None
    found = world.app.approval_desk.to_decide(sam, request.hold or "")
    assert (found.may_approve, found.instead_of) == (("lea", "sam"), ("lea",))
    assert [(one.away, one.stand_in) for one in found.stand_ins] == [("lea", "sam")]
    assert said(world, sam, request) == "queued"
    assert world.drain(request) == 1, "the gate counts the place, too"
    ((vote, _),) = world.app.queries.hold(sam, request.hold or "")[1]
    assert (vote.person, vote.instead_of) == ("sam", ("lea",))


def test_it_counts_from_its_beginning_until_its_end_by_the_clock_alone(
    world: World, lea: Caller, sam: Caller
) -> None:
    request = held(world)
    named(world, lea, sam, after=timedelta(minutes=10))
    assert said(world, sam, request) == "not_asked"
    world.advance(601)
    assert said(world, sam, request) == "queued"
    world.advance(601 + WEEK.total_seconds())
    assert said(world, sam, held(world)) == "not_asked"


def test_what_was_approved_in_its_time_stays_approved(world: World, lea: Caller, sam: Caller) -> None:
    stand_in, request = named(world, lea, sam), held(world)
    world.decide(sam, request, Choice.APPROVE)
    world.app.stand_ins.end(lea, stand_in.id)
    assert world.drain(request) == 1


@pytest.mark.parametrize(
    ("leads", "stand_ins", "amount", "outcome"),
    [
        (None, None, 1500, "queued"),
        ({"usd": 1500}, {"usd": 1500}, 1500, "queued"),
        # A stand-in gets no right that they do not have.
        (None, {"usd": 1499}, 1500, "above_own_limit"),
        (None, {}, 1500, "above_own_limit"),
        # And nobody's place is worth more than they are.
        ({"usd": 1499}, None, 1500, "not_asked"),
        ({"eur": 9999}, None, 1500, "not_asked"),
    ],
)
def test_it_reaches_as_far_as_both_of_them_may_approve(
    world: World,
    leads: dict[str, int] | None,
    stand_ins: dict[str, int] | None,
    amount: int,
    outcome: str,
) -> None:
    a_rule(world, approvers=("lea",))
    lea, sam = approver(world, "lea", leads), approver(world, "sam", stand_ins)
    named(world, lea, sam)
    assert said(world, sam, held(world, amount)) == outcome


def test_less_is_measured_by_what_is_approved(world: World, sam: Caller) -> None:
    a_rule(world, approvers=("lea",))
    named(world, approver(world, "lea", {"usd": 1000}), sam)
    request = held(world)
    assert world.decide(sam, request, Choice.APPROVE_LESS, amount=1000).state is State.QUEUED


def test_it_ends_with_the_rights_of_who_is_away(world: World, lea: Caller, sam: Caller) -> None:
    named(world, lea, sam)
    request = held(world)
    world.app.manage_credentials.revoke(world.operator, lea.credential.id, "left")
    assert said(world, sam, request) == "not_asked"


def test_whose_place_was_named_is_not_passed_on(world: World, lea: Caller, sam: Caller) -> None:
    """Sam is away, too: whoever stands in for Sam has Sam's own place, and not Lea's."""
    zoe = approver(world, "zoe")
    named(world, lea, sam)
    named(world, sam, zoe)
    request = held(world)
    assert said(world, zoe, request) == "not_asked"
    assert said(world, sam, request) == "queued"


@pytest.mark.parametrize("choice", list(Choice))
@pytest.mark.parametrize("asker", ["lea", "sam"])
def test_neither_decides_what_the_other_asked_for(
    world: World, lea: Caller, sam: Caller, asker: str, choice: Choice
) -> None:
    """Invariant 14: who stands in for somebody acts for them."""
    request = held(world, asker=world.caller(name="bot", owner=asker))
    named(world, lea, sam)
    less = 100 if choice is Choice.APPROVE_LESS else None
    for one in (lea, sam):
        with pytest.raises(Forbidden, match="self_approval"):
            world.decide(one, request, choice, amount=less)


def test_neither_decides_what_was_asked_with_a_key_that_the_other_has_seen(
    world: World, lea: Caller, sam: Caller
) -> None:
    """An operator who is an approver, too, makes the agent's key; their stand-in decides nothing of it."""
    operator = world.caller(Role.OPERATOR, "lea as operator", owner="lea", kind=Kind.HUMAN)
    draft = CredentialDraft("bot", Role.AGENT, Kind.PROGRAM, "somebody", None)
    _, key, _ = world.app.manage_credentials.create(operator, draft, fresh_key("key"))
    request = held(world, asker=world.app.authenticate(key or ""))
    named(world, lea, sam)
    assert said(world, sam, request) == "self_approval"


def test_a_decision_reads_no_credentials_but_of_those_in_whose_places_it_counts(
    world: World, lea: Caller, sam: Caller
) -> None:
    """The line of a hold is kept meanwhile: how many keys there are must not matter."""
    zoe, request = approver(world, "zoe"), held(world)
    named(world, lea, sam)
    asked: list[Any] = []

    def noted(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "FROM credentials c" in statement and "WITH RECURSIVE" not in statement:
            asked.append(parameters.get("owners", "everybody's"))

    event.listen(world.app.engine, "before_cursor_execute", noted)
    assert said(world, zoe, request) == "not_asked"
    assert asked == [], "somebody who stands in for nobody"
    assert said(world, sam, request) == "queued"
    assert asked == [["lea"]]


def test_nobody_sits_on_two_chairs(world: World, sam: Caller) -> None:
    """Two places are asked for, and the stand-in of one of them is the other."""
    a_rule(world, quorum=2, approvers=("lea", "sam"))
    lea, request = approver(world, "lea"), held(world)
    named(world, lea, sam)
    assert said(world, sam, request) == "pending_approval"
    assert said(world, sam, request) == "hold_already_decided"
    assert said(world, lea, request) == "queued"


def test_nobody_is_two_people_whom_two_rules_name(world: World, lea: Caller, sam: Caller) -> None:
    """One rule asks for Lea, another for Sam, who stands in for her: each of them has to approve, or another for one."""
    a_rule(world, approvers=("sam",))
    named(world, lea, sam)
    request = held(world)
    assert said(world, sam, request) == "pending_approval"
    assert said(world, lea, request) == "queued"
    assert world.drain(request) == 1, "the gate counts them alike"


def test_whom_two_rules_name_approves_for_both_and_so_does_their_stand_in(
    world: World, lea: Caller, sam: Caller
) -> None:
    a_rule(world, approvers=("lea", "mia"))
    assert said(world, lea, held(world)) == "queued"
    named(world, lea, sam)
    assert said(world, sam, held(world)) == "queued"


def test_one_chair_counts_once(world: World, lea: Caller, sam: Caller) -> None:
    a_rule(world, quorum=2, approvers=("lea", "mia"))
    request = held(world)
    named(world, lea, sam)
    assert said(world, lea, request) == "pending_approval"
    assert said(world, sam, request) == "pending_approval", "Lea's chair is taken, and Sam has none"
    assert said(world, approver(world, "mia"), request) == "queued"
