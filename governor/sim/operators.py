"""What operators do: limits, freezes, keys. As in deeds.py, each is what one process does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from governor.domain.limits import Scope
from governor.domain.seen import AsSeen
from governor.sim.stage import Work
from governor.sim.world import CAPS, ENVIRONMENT, World
from governor.usecases.change_limit import LimitDraft
from governor.usecases.freeze import FreezeDraft
from governor.usecases.limit_series import Saying

SECONDS = (0, 0, 0, 60, 3600, 36 * 3600)
SOON = timedelta(minutes=5)
"""A change for a time that would be over when it begins lasts so long."""

ENOUGH = 10**9
"""A cap under which everything fits that a life can ask for."""


def operate(world: World) -> Work:
    """An operator changes something; while provider writes are stopped, most often that."""
    if _stopped(world) and world.random.random() < 0.4:
        return lambda: _go_on(world)
    deeds = (_new_limit, _change_cap, _archive, _new_key, _freeze)
    return world.random.choices(deeds, (3, 3, 2, 1, 2))[0](world)


def _stopped(world: World) -> bool:
    frozen = any(one.ended is None for one in world.store.tables.freezes.values())
    return frozen or world.store.tables.environments[ENVIRONMENT].environment.stopped is not None


def _new_limit(world: World) -> Work:
    draft, key = world.limit_draft(), world.new_key("limit")
    if world.random.random() < 0.5:
        draft = replace(draft, cap=draft.cap * 4)
    return lambda: world.process().change_limit.create(world.operator, draft, key)[0].id


def _change_cap(world: World) -> Work:
    """At once or later, for good or for a time: what is over must be over without anybody doing anything."""
    limit = world.random.choice(list(world.store.tables.limits.values()))
    kept = {name: getattr(limit, name) for name in LimitDraft.__dataclass_fields__}
    cap = world.random.choice(CAPS) if limit.currency else world.random.randint(1, 8)
    draft = LimitDraft(**(kept | {"cap": cap}))
    begins = world.clock.now() + timedelta(seconds=world.random.choice(SECONDS))
    ends = begins + timedelta(seconds=world.random.choice(SECONDS))
    said = Saying("sim", begins, None if world.random.random() < 0.5 else max(ends, begins + SOON))

    def work() -> str:
        changed = world.process().change_limit.update(
            world.operator, limit.id, draft, AsSeen(limit.revision), said
        )
        return f"{changed.id} allows {changed.cap}, {cap} from {said.effective_at} until {said.until}"

    return work


def _archive(world: World) -> Work:
    limit = world.random.choice(list(world.store.tables.limits.values()))
    change = world.process().change_limit
    return lambda: f"archived {change.archive(world.operator, limit.id, AsSeen(limit.revision)).id}"


def _freeze(world: World) -> Work:
    """One person stops provider writes, of everything or of one scope."""
    scopes = {
        Scope.ENVIRONMENT: None,
        Scope.PAYMENT: world.random.choice(world.payments),
        Scope.CREDENTIAL: world.random.choice(world.agents).credential.id,
    }
    scope = world.random.choice(list(scopes))
    draft, key = FreezeDraft(scope, scopes[scope], "worried"), world.new_key("freeze")
    return lambda: world.process().freeze_refunds.freeze(world.operator, draft, key)[0].standing


def _go_on(world: World) -> str:
    return "; ".join(let_go_on(world))


def let_go_on(world: World) -> Iterator[str]:
    """Two operators have seen why writes were stopped, and let them go on."""
    here = world.process()
    with here.store.reading() as reads:
        freezes = reads.freezes(ENVIRONMENT)
    for standing in freezes:
        freeze = standing
        draft = FreezeDraft(freeze.scope, freeze.value, "seen")
        said = freeze.proposed.person if freeze.proposed else None
        people = (world.operator, world.second_operator)
        for person in (one for one in people if one.credential.owner != said):
            if freeze.ended is not None:
                break
            freeze, _ = here.freeze_refunds.unfreeze(person, draft, world.new_key("unfreeze"))
            yield freeze.standing
    with here.store.reading() as reads:
        environment = reads.environment_named(ENVIRONMENT)
    if environment is not None and environment.stopped is not None:
        here.change_environment.acknowledge(world.operator, "seen")
        yield "acknowledged"
    yield from _make_room(world)


def _make_room(world: World) -> Iterator[str]:
    """What waits for capacity gets it: the limits that came later are raised."""
    here = world.process()
    parked = (one for one in world.store.tables.requests.values() if one.parked)
    for name in sorted({limit for one in parked for limit in one.unproven}):
        with here.store.reading() as reads:
            limit = reads.limit(ENVIRONMENT, name)
        if limit is not None and not limit.archived and limit.cap < ENOUGH:
            kept = {field: getattr(limit, field) for field in LimitDraft.__dataclass_fields__}
            draft = LimitDraft(**(kept | {"cap": ENOUGH}))
            yield f"room in {here.change_limit.update(world.operator, name, draft, AsSeen(limit.revision)).id}"


def _new_key(world: World) -> Work:
    """An agent's key is revoked, and somebody gets a new one."""
    agent = world.random.choice(world.agents)

    def work() -> str:
        here = world.process()
        here.manage_credentials.revoke(world.operator, agent.credential.id)
        newcomer = world.new_agent(here)
        world.agents = [newcomer if one is agent else one for one in world.agents]
        return f"revoked {agent.credential.id}"

    return work
