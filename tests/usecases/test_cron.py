"""The periodic work goes on, whatever is broken in one place."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from structlog.testing import capture_logs

from governor.domain.environments import Mode
from governor.domain.errors import InvariantBroken
from governor.domain.lifecycle import State
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.fence_environment import FenceEnvironment
from tests.builders import World
from workers import cron


@dataclass(frozen=True)
class BrokenIn:
    """Fencing that finds the books of one environment broken, as the database would tell it."""

    environment: str
    real: FenceEnvironment

    def due(self, environment: str) -> bool:
        return environment == self.environment or self.real.due(environment)

    def __call__(self, environment: str) -> Any:
        if environment == self.environment:
            raise InvariantBroken("row_refused", "the database refused a row")
        return self.real(environment)


def test_broken_books_in_one_environment_keep_no_other_from_its_turn(
    new_world: Callable[..., World],
) -> None:
    world = new_world(clock=True, approval_seconds=3600)
    world.limit(1000, approval_above=100)
    held = world.request(world.caller(), world.payment(), 500)
    # By name it comes before the other one.
    world.app.change_environment.found("a-broken-one", EnvironmentDraft(Mode.ENFORCE, 25, 3600))
    broken = BrokenIn("a-broken-one", world.app.fence_environment)
    app = replace(world.app, fence_environment=cast("FenceEnvironment", broken))
    world.advance(3601)
    with capture_logs() as logs:
        cron.run_once(app, sweep=False)
    assert world.now(held).state is State.EXPIRED
    said = [(one["event"], one["environment"], one["code"]) for one in logs if one["log_level"] == "error"]
    assert said == [("cron.invariant_broken", "a-broken-one", "row_refused")]
