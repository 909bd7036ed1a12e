"""Killing, pausing and starting again, on a small program that has a child as workers have."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from governor.chaos.processes import Program
from governor.chaos.waiting import NotAtWorkError, until
from governor.cli.up.guard import members
from tests.stack import PATIENCE_SECONDS

PARENT = """
import os, sys, time
if os.fork() == 0:
    os.setpgrp()
    print("child", os.getpid(), flush=True)
else:
    print("parent", os.getpid(), flush=True)
while True:
    time.sleep(0.05)
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program([sys.executable, "-c", PARENT], {}, tmp_path / "log")
    made.start()
    try:
        until(lambda: pids(made, "child") != [] and pids(made, "parent") != [], made.said)
        yield made
    finally:
        made.ask_to_stop()
        made.stop()


def pids(program: Program, who: str) -> list[int]:
    """Everybody of that name who has said so, in order."""
    return [int(line.split()[1]) for line in program.said().splitlines() if line.startswith(who)]


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def eventually(condition: Callable[[], bool]) -> None:
    until(condition, str, seconds=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    ("how", "killed", "parent_lives", "child_lives"),
    [("all", 2, False, False), ("first", 1, False, True), ("forked", 1, True, False)],
)
def test_a_kill_hits_whom_it_is_meant_for(
    program: Program, how: str, killed: int, parent_lives: bool, child_lives: bool
) -> None:
    parent, child = pids(program, "parent")[0], pids(program, "child")[0]
    assert program.kill(how) == killed
    eventually(lambda: (alive(parent), alive(child)) == (parent_lives, child_lives))


def test_what_has_died_is_started_again_and_its_orphans_end_with_the_program(program: Program) -> None:
    orphan = pids(program, "child")[0]
    program.kill("first")
    eventually(lambda: program.revive() or len(pids(program, "parent")) == 2)
    eventually(lambda: len(pids(program, "child")) == 2)
    assert alive(orphan)
    program.ask_to_stop()
    program.stop()
    everybody = pids(program, "parent") + pids(program, "child")
    eventually(lambda: not any(alive(pid) for pid in everybody))


def test_a_sleeping_program_does_nothing_until_it_is_woken(program: Program) -> None:
    program.pause()
    first = pids(program, "parent")[0]
    eventually(lambda: {psutil.Process(pid).status() for pid in members([first])} == {psutil.STATUS_STOPPED})
    program.go_on()
    eventually(
        lambda: psutil.STATUS_STOPPED not in {psutil.Process(pid).status() for pid in members([first])}
    )


def test_a_program_that_lives_is_not_started_again(program: Program) -> None:
    assert not program.revive()
    assert len(pids(program, "parent")) == 1


def test_who_waits_in_vain_is_told_what_was_said() -> None:
    with pytest.raises(NotAtWorkError, match="the last words"):
        until(lambda: False, lambda: "the last words", seconds=0.05)
