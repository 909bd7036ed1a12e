"""Saying what limits shall allow, and moving the time in which it is said."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.limit_changes import LimitChange
from governor.domain.limits import Limit
from governor.domain.seen import AsSeen
from governor.usecases.callers import Caller, host
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.limit_series import SAYING_NOTHING, Saying
from tests.builders import World, fresh_key

HOUR = timedelta(hours=1)
NOON = "2027-05-05T12:00:00+00:00"


def change(
    world: World, limit: Limit, allowed: int, said: Saying = SAYING_NOTHING, *, by: Caller | None = None
) -> Limit:
    """Say what the limit shall allow, at the revision that it has."""
    standing = world.app.queries.limit(world.operator, limit.id)
    kept = {name: getattr(standing, name) for name in LimitDraft.__dataclass_fields__}
    draft = LimitDraft(**(kept | {"cap": allowed}))
    return world.app.change_limit.update(
        by or world.operator, limit.id, draft, AsSeen(standing.revision), said
    )


def cap(world: World, limit: Limit) -> int:
    """What it allows now."""
    return world.app.queries.limit(world.operator, limit.id).cap


def history(world: World, limit: Limit) -> list[LimitChange]:
    """Everything that was said of it, oldest first."""
    with world.app.store.reading() as reads:
        return list(reads.limit_changes(world.environment, limit.id))


def two_people(world: World, *, on: bool = True, mode: Mode = Mode.ENFORCE, by: Caller | None = None) -> None:
    """Whether raises need two, and how the environment is: said by whoever operates the host, if by nobody else."""
    caller = by or host(world.environment)
    here = world.app.queries.environment(caller)
    draft = EnvironmentDraft(mode, here.rate_per_second, here.approval_seconds, raises_need_two=on)
    world.app.change_environment(caller, draft, here.revision)


def another(world: World, name: str = "second") -> Caller:
    """Another operator."""
    return world.caller(Role.OPERATOR, name, kind=Kind.HUMAN)


def confirm(world: World, limit: Limit, by: Caller, *, named: LimitChange | None = None) -> Limit:
    """Say the same as whoever has proposed it, or the newest change."""
    waiting = named or history(world, limit)[-1]
    return world.app.confirm_limit_change.confirm(by, limit.id, waiting.id, "seen", fresh_key("confirm"))[0]


def withdraw(world: World, limit: Limit, named: LimitChange) -> Limit:
    """Take it back."""
    key = fresh_key("withdraw")
    return world.app.confirm_limit_change.withdraw(world.operator, limit.id, named.id, "no", key)[0]


@pytest.fixture
def timed(new_world: Callable[..., World]) -> World:
    """A world at noon, whose clock can be moved."""
    world = new_world(clock=True)
    world.travel_to(NOON)
    return world


def at(hours: float) -> datetime:
    """So many hours after noon."""
    return datetime.fromisoformat(NOON) + hours * HOUR


def travel(world: World, hours: float) -> None:
    """Move the clock there."""
    world.travel_to(at(hours).isoformat())
