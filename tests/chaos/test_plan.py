from collections import Counter

import pytest

from adapters.sandbox.faults import KINDS
from governor.chaos.plan import PROGRAMS, PROVIDER, Blow, plan

SHORT_SECONDS = 20.0
SEEDS = range(5)


def test_a_seed_names_one_plan_and_another_seed_another() -> None:
    assert plan(7, 60) == plan(7, 60)
    assert plan(7, 60) != plan(8, 60)


@pytest.mark.parametrize("seed", SEEDS)
def test_even_a_short_storm_has_every_kind_of_blow(seed: int) -> None:
    assert {strike.blow for strike in plan(seed, SHORT_SECONDS)} == set(Blow)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_blows_fall_in_their_order_and_within_the_storm(seed: int) -> None:
    times = [strike.at for strike in plan(seed, 120)]
    assert times == sorted(times)
    assert times[0] > 0
    assert times[-1] < 120


@pytest.mark.parametrize("seed", SEEDS)
def test_every_fault_of_the_provider_comes_once_before_any_comes_again(seed: int) -> None:
    ordered = [strike.target for strike in plan(seed, 120) if strike.blow is Blow.PROVIDER_FAULT]
    assert set(ordered[: len(KINDS)]) == set(KINDS)
    rounds = len(ordered) // len(KINDS)
    assert set(Counter(ordered[: rounds * len(KINDS)]).values()) == {rounds}


@pytest.mark.parametrize("seed", SEEDS)
def test_no_read_lies_about_money(seed: int) -> None:
    faults = [strike for strike in plan(seed, 600) if strike.blow is Blow.PROVIDER_FAULT]
    of_reads = {strike.target for strike in faults if strike.how.startswith("GET")}
    assert of_reads
    assert of_reads.isdisjoint({"other_amount", "other_currency", "overrun", "refuse_connection"})


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_is_killed_and_put_to_sleep_and_in_a_long_storm_past_a_lease(seed: int) -> None:
    strikes = plan(seed, 600)
    assert {strike.target for strike in strikes if strike.blow is Blow.KILL} == set(PROGRAMS)
    assert {strike.target for strike in strikes if strike.blow is Blow.STOP} == set(PROGRAMS)
    asleep = [strike for strike in strikes if strike.blow is Blow.PAUSE]
    assert {strike.target for strike in asleep} == {*PROGRAMS, PROVIDER}
    assert max(strike.seconds for strike in asleep) > 60
    assert max(strike.seconds for strike in plan(seed, SHORT_SECONDS)) < 10


@pytest.mark.parametrize("seed", SEEDS)
def test_the_clock_jumps_both_ways(seed: int) -> None:
    jumps = {int(strike.how) for strike in plan(seed, 600) if strike.blow is Blow.CLOCK}
    assert min(jumps) < -60
    assert max(jumps) > 60
