"""Many stories of a state machine, one after the other, in one world."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.builders import World

STEPS = 25


def try_stories(
    of: type[RuleBasedStateMachine], world: World, examples: int, *, the_same: bool = False
) -> None:
    """So many stories of this machine, which finds its `world` and how far its clock is `ahead`."""
    here = type(f"{of.__name__}Here", (of,), {"world": world, "ahead": [0.0]})
    quick = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        derandomize=the_same,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    run_state_machine_as_test(here, settings=quick)
