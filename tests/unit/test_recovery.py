from datetime import timedelta
from typing import Any

import pytest

from governor.domain.lifecycle import State
from governor.domain.recovery import KEY_LIFE, LOOKS_BEFORE_FLAG, REPLAYS, Look, look, next_look_at
from tests.unit.values import NOON, request

IN_DOUBT: dict[str, Any] = {"state": State.UNKNOWN, "attempts": 1, "first_sent_at": NOON}
YOUNG, OLD = NOON + KEY_LIFE - timedelta(microseconds=1), NOON + KEY_LIFE

#   what is otherwise                                   how it is looked at
LOOKS: list[tuple[dict[str, Any], Look]] = [
    ({},                                                Look.REPLAY),
    ({"attempts": REPLAYS},                             Look.REPLAY),
    ({"last_reason": "read_timeout", "attempts": 2},    Look.REPLAY),
    # The first 500 may be told apart from a lost reply only by asking once more; the second is the kept one.
    ({"last_reason": "http_500"},                       Look.REPLAY),
    ({"last_reason": "http_500", "attempts": 2},        Look.READ),
    ({"attempts": REPLAYS + 1},                         Look.READ),
    # What nobody wants any more must not be executed by asking for it again (invariant 16).
    ({"cancel_requested_at": NOON},                     Look.READ),
    # A key whose age is not known is as good as old.
    ({"first_sent_at": None},                           Look.READ),
    ({"state": State.PROVIDER_PENDING},                 Look.READ),
    ({"state": State.DISPATCHING},                      Look.READ),
]  # fmt: skip


@pytest.mark.parametrize(("otherwise", "how"), LOOKS)
def test_what_may_still_execute_and_is_wanted_is_replayed_the_rest_is_read(
    otherwise: dict[str, Any], how: Look
) -> None:
    assert look(request(**(IN_DOUBT | otherwise)), YOUNG, stopped=False) is how


def test_a_key_that_the_provider_may_have_forgotten_is_never_sent_again() -> None:
    assert timedelta(hours=24) - KEY_LIFE >= timedelta(hours=4)
    assert look(request(**IN_DOUBT), OLD, stopped=False) is Look.READ


def test_a_stopped_environment_reads_and_sends_nothing() -> None:
    assert look(request(**IN_DOUBT), YOUNG, stopped=True) is Look.READ


def test_looks_back_off_and_never_end() -> None:
    waits = [next_look_at(NOON, looks) - NOON for looks in range(LOOKS_BEFORE_FLAG + 5)]
    assert waits[:6] == [timedelta(seconds=s) for s in (10, 30, 120, 600, 1800, 3600)]
    assert waits == sorted(waits)
    assert set(waits[6:]) == {timedelta(hours=1)}
