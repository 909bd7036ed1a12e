from dataclasses import replace
from datetime import timedelta

import pytest

from governor.domain.admission import decide
from governor.domain.environments import Environment, Mode
from governor.domain.lifecycle import State
from governor.domain.limits import Holder, Subject, Usage
from governor.domain.requests import hold_of_request, request_of, shown_limits
from governor.domain.windows import WindowKind
from tests.unit.values import NOON, ask, limit, request, situation


def test_a_request_is_about_what_chose_its_limits() -> None:
    assert request(case="ZD-1").subject == Subject(
        "test", ("cred_child", "cred_parent"), "bot", "cus_1", "pi_1", "ZD-1", "usd"
    )


@pytest.mark.parametrize(
    ("state", "token", "seconds", "is_so"),
    [
        (State.DISPATCHING, 3, 0, True),
        (State.DISPATCHING, 3, 59.999, True),
        (State.DISPATCHING, 3, 60, False),
        (State.DISPATCHING, 2, 0, False),
        (State.DISPATCHING, 4, 0, False),
        (State.UNKNOWN, 3, 0, False),
        (State.SUCCEEDED, 3, 0, False),
    ],
)
def test_a_lease_holds_for_its_token_and_its_time(
    state: State, token: int, seconds: float, *, is_so: bool
) -> None:
    until = NOON + timedelta(seconds=60) if state is State.DISPATCHING else None
    leased = request(state, lease_token=3, lease_until=until)
    assert leased.is_leased(token, NOON + timedelta(seconds=seconds)) is is_so


def test_a_hold_carries_the_number_of_its_request() -> None:
    assert hold_of_request("rr_01kb7q") == "hold_01kb7q"
    assert request_of("hold_01kb7q") == "rr_01kb7q"


def test_the_arithmetic_is_shown_with_whoever_holds_the_room() -> None:
    around = situation(401, limit(cap=1000), usage=Usage(reserved=300, settled=200, earlier=100))
    (line,) = decide(ask(401), 401, around).lines
    shown = {
        "limit": "lim_1",
        "scope": "environment",
        "value": "test",
        "measure": "amount",
        "currency": "usd",
        "window": "day",
        "window_days": None,
        "time_zone": "UTC",
        "cap": 1000,
        "settled": 300,
        "reserved": 300,
        "headroom": 400,
        "requested": 401,
        "resets_at": "2026-11-30T00:00:00Z",
    }
    assert shown_limits((line,)) == (shown,)
    held = replace(line, holders=(Holder("rr_2", "hold_2", 300),))
    held_by = [{"hold": "hold_2", "refund_request": "rr_2", "amount": 300}]
    assert shown_limits((held,)) == (shown | {"held_by": held_by},)


def test_a_window_that_never_starts_over_shows_no_reset() -> None:
    around = situation(1, limit(window=WindowKind.LIFETIME))
    (shown,) = shown_limits(decide(ask(1), 1, around).lines)
    assert shown["resets_at"] is None


#   frozen      paused      halted      provider writes are stopped because
STOPS = [
    (None,      None,       None,       None),
    ("by eve",  None,       None,       "by eve"),
    (None,      "401",      None,       "401"),
    (None,      None,       "overrun",  "overrun"),
    ("by eve",  "401",      "overrun",  "by eve"),
    (None,      "401",      "overrun",  "overrun"),
    # A stop without words is a stop.
    ("",        None,       None,       ""),
    (None,      "",         None,       ""),
]  # fmt: skip


@pytest.mark.parametrize(("frozen", "paused", "halted", "because"), STOPS)
def test_any_stop_stops_the_environment(
    frozen: str | None, paused: str | None, halted: str | None, because: str | None
) -> None:
    here = Environment("test", "acct_1", Mode.ENFORCE, frozen, paused, halted, 25, 3600, 1, 1, NOON)
    assert here.stopped == because
