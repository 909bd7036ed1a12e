"""The Spin model says what the code says, holds, and shows the harm when a rule is switched off (RELIABILITY §6)."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from governor.domain.lifecycle import CAPACITY, MOVES, Capacity, Event, State

MODEL = Path(__file__).with_name("governor.pml")
TEXT = MODEL.read_text(encoding="utf-8")

NOT_MODELLED = {State.PENDING_APPROVAL, State.PROVIDER_PENDING, State.REVERSED, State.REJECTED, State.EXPIRED}
"""People who decide, and refunds that take their time: the search over the real fold has those."""

HARM = {
    "": "errors: 0",
    "OFF_ONE_STEP": "assertion violated (taken<=1)",
    "OFF_HOLD_IN_DOUBT": "assertion violated (((made[",
    "OFF_ONE_KEY": "assertion violated ((made[0]<=1)",
    "OFF_ALL_ATTEMPTS": "assertion violated (((made[",
    "OFF_ABSENCE_WAITS": "assertion violated (((made[",
    "OFF_YOUNG_ONLY": "assertion violated ((made[0]<=1)",
}
"""What Spin must say of the model as it is, and with each rule switched off."""

INSTALLED = all(map(shutil.which, ("spin", "gcc")))
SEARCHES = HARM if INSTALLED else {}
"""Without Spin the searches are reported as skipped; .ci/run installs it where it can, and says so where it cannot."""


def _moves() -> set[tuple[str, str, str]]:
    found = re.findall(r"MOVE\(r, ([A-Z_]+), ([A-Z_]+), ([A-Z_]+)\)", TEXT)
    return {(source.lower(), event.lower(), target.lower()) for source, event, target in found}


def test_every_move_of_the_model_is_a_move_of_the_code() -> None:
    moves = _moves()
    wrong = {(s, e, t) for s, e, t in moves if MOVES.get((State(s), Event(e))) != t}
    assert wrong == set()
    assert len(moves) > 10


def test_the_model_has_every_move_between_its_states_but_those_of_people_and_of_lies() -> None:
    states = set(State) - NOT_MODELLED
    left_out = {Event.PROVE_INCONSISTENT, Event.PROVE_FAILED, Event.PROVE_REVERSED, Event.RESOLVE_SUCCEEDED}
    # Back to the queue is what `refused` with more attempts stands for; the rest is said of requests that are over.
    left_out |= {Event.PROVE_NOT_EXECUTED}
    ours = {
        (source.value, event.value, target.value)
        for (source, event), target in MOVES.items()
        if {source, target} <= states and event not in left_out
    }
    missing = ours - _moves()
    assert all(source in {"queued", "canceled", "succeeded"} for source, _, _ in missing), missing


def test_the_states_of_the_model_are_states_of_the_code_and_hold_what_those_hold() -> None:
    (declared,) = re.findall(r"mtype = \{ (NEW[^}]*) \}", TEXT)
    states = {name.strip().lower() for name in declared.split(",")} - {"new"}
    assert states == {state.value for state in set(State) - NOT_MODELLED}
    (holding,) = re.findall(r"#define HOLDS\(r\) (.*)", TEXT)
    held = {name.lower() for name in re.findall(r"== (\w+)", holding)}
    assert held == {state for state in states if CAPACITY[State(state)] is Capacity.HELD}


@pytest.mark.parametrize("rule", SEARCHES)
def test_the_model_holds_and_each_rule_is_needed(rule: str, tmp_path: Path) -> None:
    shutil.copy(MODEL, tmp_path)
    switched = [f"-D{rule}"] if rule else []
    compiled = ["gcc", "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2000", "-o", "pan", "pan.c"]
    for command in (["spin", "-a", *switched, MODEL.name], compiled):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run(
        [tmp_path / "pan", "-m200000"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert HARM[rule] in done.stdout
    assert "max search depth too small" not in done.stdout


def test_every_rule_that_can_be_switched_off_is() -> None:
    assert set(re.findall(r"#ifdef (OFF_\w+)", TEXT)) == set(HARM) - {""}
