"""One seed from beginning to end: a phase in which everything may happen, and one in which everything must end."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from adapters.memory.unit_of_work import MemoryUnitOfWork
from governor.ports.store import UnitOfWork
from governor.sim import deeds, events, operators
from governor.sim.judge import Judge
from governor.sim.ledger import HOLDING
from governor.sim.stage import Violation, Work
from governor.sim.swarm import drawn
from governor.sim.world import ENVIRONMENT, World

STEPS = 200
"""How many steps the first phase of a seed has, unless told otherwise."""

Step = Callable[[World], str]
Through = Callable[[MemoryUnitOfWork], UnitOfWork]


@dataclass(frozen=True)
class Life:
    """What became of one seed. `trace` has a line for each step; `passed` is simulated time."""

    seed: int
    trace: tuple[str, ...]
    violation: Violation | None
    passed: timedelta
    marks: Counter[str]

    @property
    def digest(self) -> str:
        """The same for every run of the same seed."""
        return hashlib.sha256("\n".join(self.trace).encode()).hexdigest()


def live(
    seed: int, steps: int = STEPS, *, without: Collection[int] = frozenset(), through: Through | None = None
) -> Life:
    """Run a seed. `without` names steps that are left out: all others draw what they drew before.

    `through`: see World.
    """
    random = Random(seed)  # noqa: S311  it must be the same every time
    swarm = drawn(random)
    numbers = [random.getrandbits(64) for _ in range(steps)]
    world = World(random, swarm, through) if through else World(random, swarm)
    judge = Judge(world)
    trace = world.trace
    trace.append(f"seed {seed}: {_told(vars(swarm))}")
    violation = None
    try:
        for number, drawn_number in enumerate(numbers):
            if number not in without:
                random.seed(drawn_number)
                trace.append(f"{number:4} {_step(world)}")
        random.seed(seed)
        _end(world)
        judge.everything_ended(calm=swarm.calm)
    except Violation as broken:
        violation = broken
        trace.append(f"VIOLATION {broken}")
    except Exception as error:  # noqa: BLE001  whatever breaks, its seed and the way to it are told
        violation = Violation("unexpected_error", repr(error))
        trace.append(f"VIOLATION {violation}")
    finally:
        world.stage.end()
    return Life(seed, tuple(trace), violation, world.clock.passed, judge.marks)


def _told(faults: dict[str, float]) -> str:
    return ", ".join(f"{name} {likely:.2f}" for name, likely in faults.items() if likely) or "no faults"


def _step(world: World) -> str:
    """One thing happens, drawn from everything that can."""
    steps = [(weight, step) for weight, step, possible in _STEPS if possible(world)]
    weights = [weight for weight, _ in steps]
    said = world.random.choices([step for _, step in steps], weights)[0](world)
    world.watch()
    return said


def _enters(role: str, deed: Callable[[World], Work | None]) -> Step:
    """Somebody begins something."""

    def step(world: World) -> str:
        work = deed(world)
        return f"{world.stage.enter(role, work).name} comes" if work else f"no work for a {role}"

    return step


def _crash(world: World) -> str:
    return events.crash(world) if world.random.random() < world.swarm.crash else events.go_on(world)


def _always(_: World) -> bool:
    return True


def _busy(world: World) -> bool:
    return bool(events.awake(world))


# fmt: off
_STEPS: tuple[tuple[float, Step, Callable[[World], bool]], ...] = (
    (9.0, events.go_on, _busy),
    (3.0, _crash, _busy),
    (4.0, events.wake, lambda world: bool(events.outrun(world))),
    (5.0, events.travel, lambda world: bool(world.network.moving)),
    (3.0, events.time_passes, _always),
    (0.6, events.elsewhere, _always),
    (1.5, _enters("client", deeds.ask), lambda world: len(world.asked) < world.crowd),
    (0.3, _enters("client", deeds.ask), _always),
    (0.3, _enters("client", deeds.ask_for_many), _always),
    (0.5, _enters("client", deeds.cancel), _always),
    (0.8, _enters("approver", deeds.decide), _always),
    (0.5, _enters("approver", deeds.take_back), _always),
    (0.3, _enters("client", deeds.answer), lambda world: bool(world.store.tables.hold_versions)),
    (0.5, _enters("operator", operators.operate), _always),
    (1.2, _enters("relay", deeds.relay), lambda world: bool(world.store.tables.bells)),
    (4.0, _enters("worker", deeds.drain), lambda world: bool(world.doorbell.jobs)),
    (1.3, _enters("cron", deeds.cron), _always),
    (0.8, _enters("webhook", deeds.webhook), lambda world: bool(world.provider.events)),
    (0.8, _enters("reader", deeds.read_inbox), lambda world: world.inbox.anything_due(ENVIRONMENT) is not None),
    (0.2, _enters("walker", deeds.catch_up), _always),
)
# fmt: on
"""What can happen, how often, and when it can."""

_LAST_WALK = timedelta(hours=2)
"""After this the provider's lists are walked once more: nothing that was missed stays missed."""

_PAUSES = (15, 60, 300, 1800, *(3600,) * 12, *(86400,) * 44)
"""Seconds between the rounds of the second phase: first as recovery looks, then days, 45 of them in all."""


def _end(world: World) -> None:
    """No more faults: everybody was restarted, an operator lets go on, and programs do their work for 45 days."""
    if world.swarm.calm:
        events.settle_down(world)
    world.calm_down()
    world.stage.end()
    for seconds in _PAUSES:
        events.all_final_at_the_bank(world)
        for deed in (_let_go_on, deeds.catch_up, deeds.read_inbox, deeds.cron, deeds.relay):
            _finish(world, "program", deed(world))
        while world.doorbell.jobs:
            _finish(world, "worker", deeds.drain(world))
        waiting = [
            one
            for one in world.store.tables.requests.values()
            if one.state in HOLDING and one.flagged_at is None
        ]
        world.trace.append(f"then {len(waiting)} wait")
        if not waiting:
            break
        world.clock.passed += timedelta(seconds=seconds)
    world.clock.passed += _LAST_WALK
    _finish(world, "program", deeds.catch_up_now(world))


def _let_go_on(world: World) -> Work:
    return lambda: "; ".join(operators.let_go_on(world))


def _finish(world: World, role: str, work: Work | None) -> None:
    if work is not None:
        world.stage.enter(role, work)
    events.settle_down(world)
