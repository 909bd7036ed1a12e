import json
from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite

import pytest
from click.testing import CliRunner

from governor.bench import admission, batch, command, dispatch, growth, http_requests, latency, limits
from governor.bench.measure import Effort
from governor.bench.provider_side import refunds_by_second
from governor.bench.report import CLEAN, Report, as_table, is_right

REFUNDS = 60
"""More than may go out in two seconds."""
ALWAYS = {"figures", "p50_ms", "p99_ms", "fsck", "errors", "machine", "runs"}


def tiny(callers: int = 4, processes: int = 2) -> Effort:
    return Effort(callers=callers, processes=processes, rounds=1, seconds=0.3)


def judge(found: Report, subjects: set[str], ratios: set[str], errors: Sequence[str] = ()) -> None:
    """The shape that every bench has, and that what it measured was right; how fast, is a matter of the machine."""
    assert found["errors"] == list(errors)
    assert found["fsck"] == CLEAN
    assert set(found) == ALWAYS | ratios
    figures: Mapping[str, Mapping[str, float]] = found["figures"]
    assert set(figures) == subjects
    for name in subjects:
        assert all(value > 0 for value in figures[name].values()), figures
    assert all(isfinite(found[name]) for name in ratios)
    assert all(name in as_table(found) for name in subjects)
    assert json.loads(json.dumps(found)) == found


def test_admission_meets_its_three_yardsticks(database_url: str) -> None:
    found = admission.run(tiny(), database_url=database_url)
    ratios = {"ratio_to_bound", "ratio_to_insert", "ratio_to_for_update"}
    judge(found, {"governed", "hot_row", "insert", "for_update"}, ratios)


def test_requests_over_http_meet_an_insert_behind_the_same_authentication(database_url: str) -> None:
    found = http_requests.run(tiny(4, 1), workers=1, database_url=database_url)
    judge(found, {"governed", "insert"}, {"ratio_to_insert"})


def test_growth_asks_behind_a_short_past_and_behind_a_long_one(database_url: str) -> None:
    found = growth.run(tiny(1, 1), past=(20, 11_000), crowd=4, database_url=database_url)
    judge(found, {"young", "old", "young_crowded", "old_crowded"}, {"ratio", "ratio_of_throughput"})


def test_sixteen_limits_meet_one(database_url: str) -> None:
    judge(limits.run(tiny(), database_url=database_url), {"few", "many"}, {"ratio"})


def test_batches_meet_single_requests(database_url: str) -> None:
    found = batch.run(tiny(1, 1), lines=10, workers=1, database_url=database_url)
    judge(found, {"batches", "singles"}, {"ratio"})


def test_dispatch_meets_a_bare_loop_and_tells_of_a_rate_that_was_exceeded(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin's log has a crowded second more than it saw; whether others are, is a matter of the machine."""

    def crowded(url: str) -> Counter[int]:
        seen = refunds_by_second(url)
        assert seen.total() == REFUNDS
        return seen | Counter({max(seen) + 1: REFUNDS + 1, max(seen) + 2: 1})

    monkeypatch.setattr(dispatch, "refunds_by_second", crowded)
    found = dispatch.run(tiny(), refunds=REFUNDS, delay_ms=50, database_url=database_url, redis_url=redis_url)
    told = dispatch.rate_exceeded(REFUNDS + 1)
    judge(found, {"at_the_rate", "unlimited", "bare_loop"}, {"ratio", "ratio_to_loop"}, [told])


def test_latency_takes_one_bare_call_away(database_url: str, redis_url: str) -> None:
    found = latency.run(refunds=2, database_url=database_url, redis_url=redis_url)
    judge(found, {"governed", "bare_call"}, {"ratio", "ms_over_one_call"})


WRONG = {"figures": {}, "fsck": "1 findings", "errors": [], "machine": "", "runs": 1}


@pytest.mark.parametrize("wrong", [WRONG, WRONG | {"fsck": CLEAN, "errors": ["governed: no"]}])
def test_a_fast_wrong_number_is_a_failure(wrong: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_right(wrong)
    monkeypatch.setattr(limits, "run", lambda _effort: wrong)
    said = CliRunner().invoke(command.bench, ["limits", "--json"])
    assert (said.exit_code, json.loads(said.output)) == (1, wrong)


def test_the_command_passes_on_how_long_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Effort] = []

    def measured(effort: Effort) -> Report:
        asked.append(effort)
        return WRONG | {"fsck": CLEAN}

    monkeypatch.setattr(limits, "run", measured)
    said = CliRunner().invoke(command.bench, ["limits", "--rounds", "2", "--seconds", "0.5"])
    assert (said.exit_code, asked[0].rounds, asked[0].seconds) == (0, 2, 0.5)
    CliRunner().invoke(command.bench, ["limits", "--full"])
    assert asked[1].rounds == limits.DEFAULT.rounds * command.FULL_ROUNDS
