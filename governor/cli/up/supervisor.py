"""Keeps children alive until told to stop, then ends them in order.

One thread, one loop. Linux ties a child to the thread that started it, so everything is started from here.
"""

import selectors
import signal
import time
from collections.abc import Callable, Sequence
from typing import Final

from adapters.embedded.server_process import ServerDidNotStartError
from governor.cli.up.back_off import BackOff
from governor.cli.up.children import Child, ProgramChild
from governor.cli.up.guarding import Guard

TICK_SECONDS: Final = 0.1
Log = Callable[[str, str], None]


class StopRequestedError(Exception):
    """Somebody pressed Ctrl-C or sent SIGTERM."""


class Supervisor:
    """Starts children, restarts those that die, passes on what they say."""

    def __init__(self, log: Log, guard_lock: int) -> None:
        self._log = log
        self._children: list[Child] = []
        self._back_off: dict[str, BackOff] = {}
        self._selector = selectors.DefaultSelector()
        self._guard = Guard(guard_lock)

    def start(self, child: Child) -> None:
        """Starts a child and keeps it from now on. Raises what its start raises."""
        self._children.append(child)
        self._back_off[child.name] = BackOff()
        self._launch(child)

    def run_to_end(self, child: ProgramChild) -> int:
        """Runs a program that does one thing, supervising the others meanwhile; its exit status."""
        child.start()
        self._selector.register(child.output, selectors.EVENT_READ, child)
        try:
            while child.pid is not None:
                self.tick()
            self._pass_on(child)
        finally:
            self._hang_up(child)
            child.stop(0)
        return child.exit_status or 0

    def run_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Supervises until ``condition`` holds; False when it does not within ``seconds``."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            self.tick()
        return True

    def run(self) -> None:
        """Supervises until StopRequestedError is raised in this thread."""
        while True:
            self.tick()

    def tick(self) -> None:
        """One round: listens for a moment, then looks after the dead."""
        for key, _ in self._selector.select(TICK_SECONDS):
            self._pass_on(key.data)
        self._guard.keep_alive()
        for child in self._children:
            if child.pid is None:
                self._revive(child)

    def stop(self, stages: Sequence[tuple[Sequence[str], float]]) -> None:
        """Ends the children stage by stage: each stage names some and gives them so many seconds together."""
        for names, seconds in stages:
            stage = [child for child in self._children if child.name in names]
            deadline = time.monotonic() + seconds
            for child in stage:
                child.ask_to_stop()
            for child in stage:
                self._wait_for(child, deadline)
                child.stop(deadline - time.monotonic())
                self._children.remove(child)
                self._log(child.name, "stopped")
        self._guard.dismiss()
        self._selector.close()

    def _wait_for(self, child: Child, deadline: float) -> None:
        """Goes on listening while a program finishes: one that cannot write would not end."""
        while isinstance(child, ProgramChild) and child.pid is not None and time.monotonic() < deadline:
            for key, _ in self._selector.select(TICK_SECONDS):
                self._pass_on(key.data)
        if isinstance(child, ProgramChild):
            self._hang_up(child)

    def _launch(self, child: Child) -> None:
        """Starts, listens to and guards a child."""
        child.start()
        self._back_off[child.name].has_started()
        if isinstance(child, ProgramChild):
            self._selector.register(child.output, selectors.EVENT_READ, child)
        self._guard.watch(child)
        self._log(child.name, f"started (process {child.pid})")

    def _revive(self, child: Child) -> None:
        """Notes a death and starts the child again when its wait is over."""
        back_off = self._back_off[child.name]
        wait = back_off.has_died()
        if wait is not None:
            self._note_death(child, wait)
        elif back_off.is_over:
            try:
                self._launch(child)
            except (OSError, ServerDidNotStartError) as failure:
                back_off.has_started()
                self._log(child.name, f"did not start: {failure}")

    def _note_death(self, child: Child, wait: float) -> None:
        """Passes on its last words, ends what it left behind."""
        ended = ""
        if isinstance(child, ProgramChild):
            ended = f" ({_in_words(child.exit_status)})"
            self._pass_on(child)
            self._hang_up(child)
            child.stop(0)
        self._guard.forget(child)
        self._log(child.name, f"died{ended}; starting again in {wait:.1f} s")

    def _pass_on(self, child: ProgramChild) -> None:
        """Shows what a program has written; one that has closed its output is not listened to any more."""
        lines = child.read_lines()
        if lines is None:
            self._hang_up(child)
        for line in lines or []:
            self._log(child.name, line)

    def _hang_up(self, child: ProgramChild) -> None:
        """Stops listening."""
        for key in list(self._selector.get_map().values()):
            if key.data is child:
                self._selector.unregister(key.fd)


def _in_words(status: int | None) -> str:
    """How a program ended."""
    if status is None or status >= 0:
        return f"exit status {status}"
    return f"killed by {signal.Signals(-status).name}"
