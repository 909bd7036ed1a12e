"""What a limit allows changes with time: scheduled, for a time, and with its history."""

from collections.abc import Callable
from datetime import datetime

import pytest

from governor.domain.errors import Conflict, PreconditionFailed
from governor.domain.lifecycle import State
from governor.domain.limit_changes import MOST_TO_COME, Standing
from governor.domain.limits import Scope
from governor.domain.seen import AsSeen
from governor.usecases.limit_series import Saying
from tests.asked import counted
from tests.builders import World, limit_draft
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


def test_a_raise_for_a_time_reverts_by_itself(timed: World) -> None:
    """RELIABILITY I5: by time, without a job; what was admitted stays, and nothing more is."""
    limit, agent = timed.limit(1000), timed.caller()
    change(timed, limit, 3000, Saying(until=at(2)))
    other = timed.another_process()
    assert timed.request(agent, timed.payment(5000), 2500, app=other).state is State.QUEUED
    travel(timed, 1.99)
    assert timed.request(agent, timed.payment(5000), 100, app=other).state is State.QUEUED
    travel(timed, 2)
    refused = timed.request(agent, timed.payment(5000), 100, app=other)
    other.engine.dispose()
    other.doorbell._connection.close()
    assert (refused.denial, refused.limits[0]["cap"]) == ("limit_exceeded", 1000)
    timed.drain(refused)
    assert timed.headroom(limit) == -1600, "what was admitted was sent all the same"


def test_a_change_for_good_outlives_a_raise_that_began_before_it(timed: World) -> None:
    limit = timed.limit(1000)
    change(timed, limit, 3000, Saying(until=at(2)))
    travel(timed, 1)
    change(timed, limit, 500)
    assert cap(timed, limit) == 500, "whoever lowers is heard at once"
    travel(timed, 3)
    assert cap(timed, limit) == 500


def test_a_raise_ends_at_what_was_said_for_good_meanwhile(timed: World) -> None:
    """A change for good that was scheduled before the raise begins under it, and counts when the raise is over."""
    limit = timed.limit(1000)
    change(timed, limit, 700, Saying(effective_at=at(1)))
    change(timed, limit, 3000, Saying(effective_at=at(1.5), until=at(2)))
    seen = []
    for hours in (0, 1, 1.5, 2):
        travel(timed, hours)
        seen.append(cap(timed, limit))
    assert seen == [1000, 700, 3000, 700]


def test_what_is_scheduled_counts_from_its_moment_on(timed: World) -> None:
    limit, agent = timed.limit(1000), timed.caller()
    standing = change(timed, limit, 50, Saying("month end", effective_at=at(6)))
    assert (standing.cap, standing.revision) == (1000, 2)
    assert timed.request(agent, timed.payment(5000), 100).state is State.QUEUED
    travel(timed, 6)
    assert timed.request(agent, timed.payment(5000), 1).denial == "limit_exceeded"


def test_a_summer_night_has_an_hour_less_for_a_raise(new_world: Callable[..., World]) -> None:
    """RELIABILITY I5, I7: a time box is two instants, and the day of its limit may have 23 hours."""
    world = new_world(clock=True)
    world.travel_to("2027-03-28T00:30:00+01:00")
    limit, agent = world.limit(1000, zone="Europe/Berlin"), world.caller()
    change(world, limit, 2000, Saying(until=datetime.fromisoformat("2027-03-28T03:00:00+02:00")))
    world.travel_to("2027-03-28T01:59:59+01:00")
    assert world.request(agent, world.payment(5000), 1500).state is State.QUEUED
    world.travel_to("2027-03-28T03:00:00+02:00")
    assert world.request(agent, world.payment(5000), 1).denial == "limit_exceeded"
    world.travel_to("2027-03-29T00:00:00+02:00")
    assert world.request(agent, world.payment(5000), 1000).state is State.QUEUED, "a new day, the old cap"


def test_of_two_operators_who_saw_one_revision_the_second_looks_anew(world: World) -> None:
    """RELIABILITY I3; a proposal counts as a change, too."""
    limit = world.limit(1000)
    world.change_cap(limit, 900)
    with pytest.raises(PreconditionFailed):
        world.change_cap(limit, 800)


@pytest.mark.parametrize("passes", [1, 3])
def test_whoever_saw_a_limit_before_a_change_of_it_began_or_ended_looks_anew(
    timed: World, passes: float
) -> None:
    """What they saw is compared in the environment's line, whichever way they come: time alone makes no revision."""
    limit = timed.limit(1000)
    change(timed, limit, 3000, Saying(effective_at=at(1), until=at(3)))
    travel(timed, passes - 0.5)
    standing = timed.app.queries.limit(timed.operator, limit.id)
    seen = timed.app.limit_history.seen(timed.operator, standing)
    travel(timed, passes)
    with pytest.raises(PreconditionFailed) as changed:
        timed.app.change_limit.update(timed.operator, limit.id, limit_draft(500), seen)
    with pytest.raises(PreconditionFailed) as archived:
        timed.app.change_limit.archive(timed.operator, limit.id, seen)
    for refused in (changed.value, archived.value):
        assert (refused.code, refused.extra) == ("revision_stale", {"revision": standing.revision})
    now = timed.app.limit_history.seen(timed.operator, timed.app.queries.limit(timed.operator, limit.id))
    assert timed.app.change_limit.update(timed.operator, limit.id, limit_draft(500), now).cap == 500


def test_whoever_saw_a_proposal_that_is_nobodys_any_more_looks_anew(timed: World) -> None:
    limit, proposer = timed.limit(1000), another(timed)
    two_people(timed)
    change(timed, limit, 3000, by=proposer)
    standing = timed.app.queries.limit(timed.operator, limit.id)
    seen = timed.app.limit_history.seen(timed.operator, standing)
    timed.app.manage_credentials.revoke(timed.operator, proposer.credential.id)
    with pytest.raises(PreconditionFailed):
        timed.app.change_limit.update(timed.operator, limit.id, limit_draft(500), seen)


def test_the_history_says_who_and_why_and_what_is_to_come(timed: World) -> None:
    limit = timed.limit(1000)
    change(timed, limit, 800, Saying("calm"))
    change(timed, limit, 2000, Saying("sale", at(24), at(48)))
    shown = timed.app.limit_history.changes(timed.operator, limit.id)
    told = [(one.change.cap, one.standing, one.change.proposed.reason) for one in shown]
    assert told == [
        (2000, Standing.TO_COME, "sale"),
        (800, Standing.IN_FORCE, "calm"),
        (1000, Standing.PAST, ""),
    ]
    assert {one.change.proposed.person for one in shown} == {timed.operator.credential.owner}
    (upcoming,) = timed.app.limit_history.pending(timed.operator)[limit.id]
    assert (upcoming.change.effective_at, upcoming.change.until) == (at(24), at(48))


def test_what_is_to_come_of_other_limits_costs_nobody_who_changes_one(timed: World) -> None:
    """A change holds the environment's line, and meanwhile looks at what its changer has seen: of this limit alone."""
    limit = timed.limit(1000)
    change(timed, limit, 900, Saying(effective_at=at(24)))
    history, operator = timed.app.limit_history, timed.operator

    def asked(allowed: int) -> list[str]:
        with counted(timed.app.engine) as said:
            standing = timed.app.queries.limit(operator, limit.id)
            draft, seen = limit_draft(allowed), history.seen(operator, standing)
            assert seen.moment is not None
            timed.app.change_limit.update(operator, limit.id, draft, seen)
        return said

    alone = asked(800)
    others = [timed.limit(1000, scope=Scope.AGENT, value=f"bot-{number}") for number in range(3)]
    for other in others:
        change(timed, other, 500, Saying(effective_at=at(24)))
    assert asked(700) == alone
    everything = history.pending(operator)
    assert [history.pending_of(operator, one) for one in others] == [everything[one.id] for one in others]
    assert history.pending_of(operator, timed.limit(1)) == ()


def test_too_many_changes_to_come_are_refused(timed: World) -> None:
    limit = timed.limit(1000)
    for hours in range(1, 20):
        change(timed, limit, hours, Saying(effective_at=at(hours)))
    with pytest.raises(Conflict) as refused:
        change(timed, limit, 1, Saying(effective_at=at(30)))
    assert refused.value.code == "too_many_changes"
    assert change(timed, limit, 1).cap == 1, "lowering at once is never refused"


def test_what_was_proposed_is_refused_when_there_are_too_many_by_the_time_it_is_confirmed(
    timed: World,
) -> None:
    """Every decision reads the changes to come: none comes to count past their number, whoever says it."""
    limit, second = timed.limit(1000), another(timed)
    two_people(timed)
    change(timed, limit, 2000, Saying(effective_at=at(40)))
    change(timed, limit, 1500)
    later, at_once = history(timed, limit)[-2:]
    assert (later.waits, at_once.waits) == (True, True)
    for hours in range(1, MOST_TO_COME):
        change(timed, limit, 1000 - hours, Saying(effective_at=at(hours), until=at(hours + 1)))
    with pytest.raises(Conflict) as refused:
        confirm(timed, limit, second, named=later)
    assert refused.value.code == "too_many_changes"
    assert history(timed, limit)[1].waits, "it waits on"
    assert confirm(timed, limit, second, named=at_once).cap == 1500, "what ends others is never refused"


def test_how_a_limit_stood_at_any_moment_is_told_by_what_was_known_then(timed: World) -> None:
    """What was taken back later counted until then, and what was said later for an earlier time did not count yet."""
    limit = timed.limit(1000)
    travel(timed, 1)
    change(timed, limit, 3000, Saying(until=at(5), reason="sale"))
    travel(timed, 2)
    withdraw(timed, limit, history(timed, limit)[-1])
    travel(timed, 3)
    change(timed, limit, 400, Saying(effective_at=at(4)))
    travel(timed, 5)
    seen = timed.app.queries.limit(timed.operator, limit.id)
    timed.app.change_limit.archive(timed.operator, limit.id, AsSeen(seen.revision))

    def then(hours: float) -> list[tuple[int, str]]:
        found = timed.app.limit_history.then(timed.operator, at(hours), after=None, at_most=10)
        return [(one.cap, said.proposed.reason) for one, said in found if one.id == limit.id]

    caps = [[cap for cap, _ in then(hours)] for hours in (-1, 0.9, 1.1, 1.9, 2.1, 3.9, 4, 4.9, 5.1, 9)]
    assert caps == [[], [1000], [3000], [3000], [1000], [1000], [400], [400], [], []]
    assert then(1.5)[0][1] == "sale"
