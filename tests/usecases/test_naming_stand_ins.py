"""Who names a stand-in, for how long, who sees it and who ends it."""

from datetime import time, timedelta

import pytest
from sqlalchemy import text

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound
from governor.domain.rules import Hours, Weekday
from governor.usecases.audit_reports import Period
from governor.usecases.callers import Caller
from governor.usecases.stand_ins import StandInDraft
from tests.builders import World, fresh_key
from tests.usecases.standing_in import WEEK, approver, held, named, said
from tests.usecases.standing_in import lea as lea
from tests.usecases.standing_in import sam as sam
from tests.usecases.standing_in import world as world


def test_both_names_are_in_the_trail(world: World, lea: Caller, sam: Caller) -> None:
    stand_in, request = named(world, lea, sam), held(world)
    world.decide(sam, request, Choice.APPROVE)
    world.app.stand_ins.end(sam, stand_in.id)
    with world.app.store.reading() as reads:
        rows = {row.entry.action: row.entry for row in reads.audit("test", after=0, at_most=1000)}
    decided, begun, ended = rows["hold.decided"], rows["stand_in.named"], rows["stand_in.ended"]
    assert (decided.facts["person"], decided.facts["instead_of"]) == ("sam", ["lea"])
    assert (begun.object, begun.facts["away"], begun.facts["stand_in"]) == (stand_in.id, "lea", "sam")
    assert (ended.object, ended.facts["person"], ended.facts["away"]) == (stand_in.id, "sam", "lea")


def test_naming_one_and_ending_it_are_decisions_for_the_report_of_late_hours(
    world: World, lea: Caller, sam: Caller
) -> None:
    one = named(world, lea, sam)
    world.app.stand_ins.end(sam, one.id)
    now = world.app.store.now()
    never_open = Hours(time(0), time(1), (tuple(Weekday)[(now.weekday() + 3) % 7],), "UTC")
    period = Period(now - timedelta(days=1), now + timedelta(days=1))
    found = world.app.audit_reports.out_of_hours("test", period, never_open, at_most=50).lines
    said_of_it = [row.entry.action for row in found if row.entry.object == one.id]
    assert said_of_it == ["stand_in.ended", "stand_in.named"]


@pytest.mark.parametrize("ender", ["lea", "sam", "an operator"])
def test_one_of_the_two_or_an_operator_ends_it_at_once(
    world: World, lea: Caller, sam: Caller, ender: str
) -> None:
    stand_in, request = named(world, lea, sam), held(world)
    caller = {"lea": lea, "sam": sam}.get(ender, world.operator)
    ended = world.app.stand_ins.end(caller, stand_in.id)
    assert ended.ended_by == caller.credential.owner
    assert said(world, sam, request) == "not_asked"
    assert world.app.stand_ins.end(lea, stand_in.id) == ended, "twice is once"


def test_nobody_else_ends_it(world: World, lea: Caller, sam: Caller) -> None:
    stand_in = named(world, lea, sam)
    for other, code in ((approver(world, "zoe"), "not_yours"), (world.caller(), "role_not_allowed")):
        with pytest.raises(Forbidden, match=code):
            world.app.stand_ins.end(other, stand_in.id)
    with pytest.raises(NotFound, match="stand_in_not_found"):
        world.app.stand_ins.end(lea, "sti_nothing")
    assert said(world, sam, held(world)) == "queued"


@pytest.mark.parametrize(
    ("who", "days", "pointer"),
    [
        ("lea", 1, "/stand_in"),
        ("nobody", 1, "/stand_in"),
        ("operator", 1, "/stand_in"),
        ("sam", 0, "/ends_at"),
        ("sam", -1, "/ends_at"),
        ("sam", 91, "/ends_at"),
    ],
)
def test_only_another_approver_is_named_and_for_a_time_that_ends(
    world: World, lea: Caller, sam: Caller, who: str, days: int, pointer: str
) -> None:
    assert sam.credential.owner == "sam"
    draft = StandInDraft(who, None, world.app.store.now() + timedelta(days=days))
    with pytest.raises(Invalid) as refusal:
        world.app.stand_ins(lea, draft, fresh_key("stand-in"))
    assert refusal.value.errors[0].pointer == pointer


def test_only_approvers_name_stand_ins(world: World, sam: Caller) -> None:
    assert sam.role is Role.APPROVER
    for other in (world.operator, world.caller()):
        with pytest.raises(Forbidden, match="role_not_allowed"):
            named(world, other, sam)


def test_one_stands_in_for_somebody_at_a_time(world: World, lea: Caller, sam: Caller) -> None:
    zoe, first = approver(world, "zoe"), named(world, lea, sam)
    with pytest.raises(Conflict, match="stand_in_exists") as refusal:
        named(world, lea, zoe, after=timedelta(days=6))
    assert refusal.value.extra == {"stand_in": first.id}
    named(world, lea, zoe, after=timedelta(days=8))
    named(world, zoe, sam)
    world.app.stand_ins.end(lea, first.id)
    named(world, lea, approver(world, "mia"))


def test_the_same_key_names_the_same_stand_in(world: World, lea: Caller, sam: Caller) -> None:
    assert sam.credential.owner == "sam"
    draft, key = StandInDraft("sam", None, world.app.store.now() + WEEK), fresh_key("stand-in")
    first = world.app.stand_ins(lea, draft, key)
    assert world.app.stand_ins(lea, draft, key) == first


def test_one_that_counts_is_seen_and_ended_however_many_were_named_since(
    world: World, lea: Caller, sam: Caller
) -> None:
    first = named(world, lea, sam)
    with world.app.engine.begin() as connection:
        connection.execute(
            text("""
            INSERT INTO stand_ins SELECT environment, concat('sti_z', n), 'zoe', 'mia', begins_at, ends_at, credential,
                named_at, named_at, 'zoe'
            FROM stand_ins, generate_series(1, 501) n""")
        )
    seen = world.app.stand_ins.seen_by(world.operator)
    assert seen[0] == first
    assert len(seen) > 1, "those that are over come after it"
    assert world.app.stand_ins.seen_by(sam) == (first,)
    with pytest.raises(Conflict, match="stand_in_exists"):
        named(world, lea, approver(world, "bo"), after=timedelta(days=6))
    assert world.app.stand_ins.end(sam, first.id).ended_by == "sam"


def test_whom_it_concerns_sees_it(world: World, lea: Caller, sam: Caller) -> None:
    one = named(world, lea, sam)
    seen = world.app.stand_ins.seen_by
    for caller in (lea, sam, world.operator, world.caller(Role.AUDITOR, "uma", kind=Kind.HUMAN)):
        assert seen(caller) == (one,)
    assert seen(approver(world, "zoe")) == ()
