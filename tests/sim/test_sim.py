"""The simulator over the real use cases: it repeats itself, it holds, and it has been where it hurts."""

import json
import secrets
import subprocess
import sys

import pytest
from click.testing import CliRunner

from governor.sim.command import sim, simulate
from governor.sim.run import STEPS, live
from governor.sim.shrink import shrunk
from tests.sim.canaries import CANARIES, broken

FIXED = 200
FRESH = 20
"""A tenth of fresh seeds (RELIABILITY §2.2)."""

OFTEN = {
    "replayed": 10,
    "two calls of one request under way": 2,
    "limit created over exposure": 10,
    "made elsewhere": 10,
    "flagged for an operator": 10,
    "dispatching → unknown": 10,
    "dispatching → queued": 5,
    "unknown → succeeded": 2,
    "unknown → canceled": 2,
    "succeeded → reversed": 5,
    "pending_approval → expired": 10,
    "queued → pending_approval": 5,
}
"""Situations that the fixed seeds must have met, at least so often: what was never tried proves nothing."""

DIGEST = "from governor.sim.run import live; print(live({seed}).digest)"


def test_a_seed_repeats_byte_for_byte() -> None:
    assert live(7).trace == live(7).trace
    assert live(7).trace != live(8).trace


@pytest.mark.parametrize("seed", [7, 10])
def test_a_seed_repeats_in_another_process_whatever_its_hashes_are(seed: int) -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST.format(seed=seed)],
            env={"PYTHONHASHSEED": hashes},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hashes in ("1", "2")
    }
    assert digests == {live(seed).digest}


def test_every_promise_holds_in_fixed_seeds_that_were_everywhere() -> None:
    """RELIABILITY §2.2 and §2.8. A seed without faults must be without doubt, too."""
    report = simulate(0, FIXED, STEPS)
    assert report.as_json()["violations"] == []
    assert {mark: report.marks[mark] for mark, often in OFTEN.items() if report.marks[mark] < often} == {}
    assert report.as_json()["simulated_years"] > 5


def test_every_promise_holds_in_fresh_seeds() -> None:
    first = secrets.randbelow(10**9)
    print(f"fresh seeds from {first}")  # noqa: T201  shown when the test fails, to run it again
    assert simulate(first, FRESH, STEPS).as_json()["violations"] == []


def test_the_way_to_a_violation_is_made_short_and_stays_a_way() -> None:
    with broken(CANARIES["new_limit_counts_nothing"]):
        found = next(life for life in (live(seed, 100) for seed in range(100)) if life.violation)
        short = shrunk(found, 100)
        again = live(short.seed, 100)
    assert short.violation is not None
    assert found.violation is not None
    assert short.violation.promise == found.violation.promise == "wrong_counter"
    assert len(short.trace) < len(found.trace)
    assert again.trace == found.trace


def test_the_command_says_what_it_found() -> None:
    done = CliRunner().invoke(sim, ["--seeds", "3", "--seed", "5", "--steps", "50", "--json"])
    said = json.loads(done.stdout)
    assert (done.exit_code, said["seeds"], said["steps"], said["violations"]) == (0, 3, 150, [])
    assert said["digest"] == live(7, 50).digest
    shown = CliRunner().invoke(sim, ["--seed", "7", "--steps", "50"])
    assert (shown.exit_code, shown.stdout.splitlines()[0]) == (0, live(7, 50).trace[0])


def test_the_command_fails_with_the_way_to_what_it_found() -> None:
    with broken(CANARIES["new_key_per_attempt"]):
        done = CliRunner().invoke(sim, ["--seeds", "20"])
    assert done.exit_code == 1
    assert "breaks a promise: identity_changed" in done.stdout
    assert done.stdout.count("The shortest way") == 1
