from datetime import timedelta

import pytest

from governor.domain.environments import SETTLING, Environment, Mode
from governor.usecases.dispatch_refund import LEASE
from tests.unit.values import NOON

OPEN = Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 1, 1, NOON)
FENCED = Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 1, 1, NOON, fenced_at=NOON)


def test_a_fence_stops_provider_writes() -> None:
    assert (OPEN.stopped, FENCED.stopped) == (None, "history_changed")


@pytest.mark.parametrize(
    ("environment", "walked_after", "needed"),
    [
        (OPEN, None, False),
        (OPEN, -1, False),
        (FENCED, None, True),
        (FENCED, -1, True),
        (FENCED, 59, True),
        (FENCED, 60, False),
        (FENCED, 3600, False),
    ],
)
def test_a_walk_finds_what_was_forgotten_once_no_call_of_before_can_arrive(
    environment: Environment, walked_after: int | None, needed: bool
) -> None:
    begun = None if walked_after is None else NOON + timedelta(seconds=walked_after)
    assert environment.needs_walk(begun) is needed


def test_what_the_old_server_allowed_is_over_when_a_walk_counts() -> None:
    assert SETTLING >= LEASE
