"""Where raises need two people, whatever allows more waits for another one; what only tightens counts at once."""

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.seen import AsSeen
from governor.ports.records import TrailFilter
from governor.usecases.callers import Caller, host
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.limit_series import Saying
from tests.builders import World, fresh_key, limit_draft
from tests.made_keys import made
from tests.unit.values import replaced
from tests.usecases.limit_sayings import (
    another,
    at,
    cap,
    change,
    confirm,
    history,
    travel,
    two_people,
    withdraw,
)
from tests.usecases.limit_sayings import (
    timed as timed,
)


def test_a_raise_waits_for_another_person_and_lowering_does_not(world: World) -> None:
    limit = world.limit(1000)
    two_people(world)
    first, second = another(world, "first"), another(world)
    standing = change(world, limit, 2000, Saying("black friday"), by=first)
    assert (standing.cap, standing.revision) == (1000, 2)
    for nobody in (
        first,
        made(world, first, Role.OPERATOR, "a puppet"),
        world.caller(Role.OPERATOR, "other-key", kind=Kind.HUMAN, owner=first.credential.owner),
    ):
        with pytest.raises(Conflict, match="omebody else has to say") as caught:
            confirm(world, limit, nobody)
        assert caught.value.code == "second_person_needed"
    with pytest.raises(Forbidden) as refused:
        confirm(world, limit, world.caller(Role.OPERATOR, "bot", kind=Kind.PROGRAM))
    assert refused.value.code == "raise_needs_human"
    assert confirm(world, limit, second).cap == 2000
    (said,) = [one for one in history(world, limit) if one.confirmed]
    assert (said.proposed.person, said.proposed.reason) == (first.credential.owner, "black friday")
    assert said.confirmed is not None
    assert (said.confirmed.person, said.confirmed.reason) == (second.credential.owner, "seen")
    assert change(world, limit, 10, by=first).cap == 10


RAISES = [
    # what is changed, whether it takes two
    ({"cap": 1001}, True),
    ({"cap": 999}, False),
    ({"approval_above": 501}, True),
    ({"approval_above": None}, True),
    ({"approval_above": 499}, False),
    ({"cap": 900, "approval_above": 600}, True),
]


@pytest.mark.parametrize(("changed", "takes_two"), RAISES)
def test_whatever_allows_more_takes_two(world: World, changed: dict[str, int], takes_two: bool) -> None:
    limit = world.limit(1000, approval_above=500)
    two_people(world)
    draft = replaced(limit_draft(1000, approval_above=500), **changed)
    world.app.change_limit.update(world.operator, limit.id, draft, AsSeen(1))
    assert history(world, limit)[-1].waits is takes_two


def test_a_lasting_cap_below_a_raise_that_ends_is_a_raise_from_then_on(timed: World) -> None:
    """Nobody makes a raise last by lowering it a little."""
    limit = timed.limit(1000)
    change(timed, limit, 5000, Saying(until=at(2)))
    two_people(timed)
    assert change(timed, limit, 4000).cap == 5000
    assert history(timed, limit)[-1].waits
    assert change(timed, limit, 900).cap == 900


def test_archiving_takes_two_where_raises_do(world: World) -> None:
    world.limit(10**6)
    limit = world.limit(1000, scope=Scope.AGENT)
    two_people(world)
    assert not world.app.change_limit.archive(world.operator, limit.id, AsSeen(1), "old").archived
    assert world.request(world.caller(), world.payment(5000), 2000).denial == "limit_exceeded"
    assert confirm(world, limit, another(world)).archived
    assert world.request(world.caller(), world.payment(5000), 2000).state is State.QUEUED


def test_the_first_limit_of_a_currency_begins_at_zero_where_raises_take_two(world: World) -> None:
    """Without a limit nothing is permitted, so the first one permits more."""
    two_people(world)
    limit = world.limit(1000)
    assert limit.cap == 0
    assert world.request(world.caller(), world.payment(5000), 1).denial == "limit_exceeded"
    assert confirm(world, limit, another(world)).cap == 1000
    assert world.limit(500, scope=Scope.AGENT).cap == 500, "one that comes beside it only tightens"
    assert world.limit(500, currency="eur").cap == 0


def test_a_dead_key_proposes_nothing_any_more(world: World) -> None:
    limit, first = world.limit(1000), another(world, "first")
    two_people(world)
    change(world, limit, 2000, by=first)
    world.app.manage_credentials.revoke(world.operator, first.credential.id)
    with pytest.raises(Conflict) as refused:
        confirm(world, limit, another(world))
    assert (refused.value.code, cap(world, limit)) == ("proposal_void", 1000)
    assert world.app.limit_history.pending(world.operator)[limit.id] == ()


def test_a_proposal_is_void_once_the_limit_was_changed(world: World) -> None:
    """Somebody lowered it in an emergency: what was proposed before was proposed of another limit."""
    limit = world.limit(1000)
    two_people(world)
    change(world, limit, 2000)
    proposal = history(world, limit)[-1]
    change(world, limit, 10)
    with pytest.raises(Conflict) as refused:
        confirm(world, limit, another(world), named=proposal)
    assert (refused.value.code, cap(world, limit)) == ("limit_change_overtaken", 10)


def test_one_person_alone_does_not_switch_the_second_one_off(world: World) -> None:
    world.limit(1000)
    two_people(world)
    for on, mode in ((False, Mode.ENFORCE), (True, Mode.OBSERVE)):
        with pytest.raises(Conflict) as refused:
            two_people(world, on=on, mode=mode, by=world.operator)
        assert refused.value.code == "raises_need_two"
    two_people(world, on=False)
    assert not world.app.queries.environment(world.operator).raises_need_two


def test_one_person_alone_does_not_let_approvals_take_less_care(world: World) -> None:
    def change(bounds: dict[str, int], by: Caller) -> None:
        here = world.app.queries.environment(by)
        draft = EnvironmentDraft(here.mode, here.rate_per_second, here.approval_seconds, raises_need_two=True)
        world.app.change_environment(by, replaced(draft, prove_above=bounds), here.revision)

    two_people(world)
    change({"usd": 500}, world.operator)
    change({"usd": 400}, world.operator)
    for less in ({"usd": 401}, {}):
        with pytest.raises(Conflict) as refused:
            change(less, world.operator)
        assert refused.value.code == "raises_need_two"
    change({}, host(world.environment))


def test_what_is_to_come_or_ends_can_be_withdrawn_and_what_counts_for_good_cannot(timed: World) -> None:
    limit = timed.limit(1000)
    change(timed, limit, 3000, Saying(until=at(2)))
    change(timed, limit, 50, Saying(effective_at=at(1)))
    first, box, scheduled = history(timed, limit)
    two_people(timed)
    with pytest.raises(Conflict) as refused:
        withdraw(timed, limit, scheduled)
    assert refused.value.code == "withdrawal_raises"
    assert withdraw(timed, limit, box).cap == 1000
    for over in (first, box):
        with pytest.raises(Conflict) as refused:
            withdraw(timed, limit, over)
        assert refused.value.code == "limit_change_not_pending"
    two_people(timed, on=False)
    withdraw(timed, limit, scheduled)
    travel(timed, 3)
    assert cap(timed, limit) == 1000
    with pytest.raises(NotFound):
        timed.app.confirm_limit_change.withdraw(timed.operator, limit.id, "chg_none", "", fresh_key("no"))


def test_a_confirmation_is_made_once_under_its_key(world: World) -> None:
    limit, second = world.limit(1000), another(world)
    two_people(world)
    change(world, limit, 2000)
    said, key = history(world, limit)[-1], fresh_key("confirm")
    answers = [
        world.app.confirm_limit_change.confirm(second, limit.id, said.id, "seen", key) for _ in range(2)
    ]
    assert [(one.cap, replayed) for one, replayed in answers] == [(2000, False), (2000, True)]
    with pytest.raises(Conflict):
        confirm(world, limit, second, named=said)


def test_an_environment_may_ask_why(world: World) -> None:
    limit = world.limit(1000)
    here = world.app.queries.environment(world.operator)
    draft = EnvironmentDraft(here.mode, 25, 3600, reasons_required=True)
    world.app.change_environment(world.operator, draft, here.revision)
    with pytest.raises(Invalid) as refused:
        change(world, limit, 900)
    assert [(one.pointer, one.code) for one in refused.value.errors] == [("/reason", "words_missing")]
    with pytest.raises(Invalid):
        world.app.change_limit.archive(world.operator, limit.id, AsSeen(1))
    assert change(world, limit, 900, Saying("fraud wave")).cap == 900
    assert history(world, limit)[-1].proposed.reason == "fraud wave"


def test_whoever_raises_a_limit_and_uses_it_by_another_key_is_told_of(world: World) -> None:
    """RELIABILITY T31: raise, refund, lower; where raises need two, the first step takes somebody else."""
    limit, raiser = world.limit(100), another(world, "raiser")
    own, stranger = world.caller(owner=raiser.credential.owner), world.caller(name="stranger")
    change(world, limit, 5000, by=raiser)
    for agent in (stranger, own):
        assert world.request(agent, world.payment(5000), 300).state is State.QUEUED
    change(world, limit, 100, by=raiser)
    with world.app.store.reading() as reads:
        chosen = TrailFilter(actions=("limit.raised_by_requester",))
        (alert,) = reads.audit(world.environment, after=0, at_most=100, chosen=chosen)
    assert (alert.entry.object, alert.entry.actor) == (limit.id, own.credential.id)
