"""Where actors run: one at a time, each stopped wherever the real process could be stopped or die.

An actor is the memory of one process while it does one thing. It runs real code, unchanged; the ports it was
given stop it before each use (governor.sim.ports), and the stage decides who goes on. Greenlets, not threads:
there is one thread, and the order of events is drawn from the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from greenlet import getcurrent, greenlet

from governor.domain.errors import GovernorError, InvariantBroken

Work: TypeAlias = Callable[[], object]
"""What an actor does; what it returns is told in the trace."""


class Crashed(BaseException):
    """The process is gone. No code of it goes on, not even what waits in a `finally`."""


class Violation(Exception):
    """A promise does not hold. `promise` is its short stable name."""

    def __init__(self, promise: str, detail: str) -> None:
        super().__init__(f"{promise}: {detail}")
        self.promise = promise


def _at_once() -> bool:
    return True


@dataclass(eq=False)
class Actor:
    """Somebody in the middle of something."""

    name: str
    at: str
    """The use of a port before which it stands."""
    ready: Callable[[], bool] = _at_once
    """Whether what it waits for is there."""
    about: str = ""
    """The request that it waits to hear of."""
    asleep_until: timedelta = timedelta()
    """Its process is stopped until so much time has passed in the world."""
    gone: bool = False
    run: greenlet = field(init=False)


class Stage:
    """Everybody who is in the middle of something, in the order in which they came."""

    def __init__(self) -> None:
        self.actors: list[Actor] = []
        self._hub = getcurrent()
        self._playing: Actor | None = None
        self._entered = 0

    def enter(self, role: str, work: Work) -> Actor:
        """Somebody new, who stands before the first thing to do."""
        self._entered += 1
        actor = Actor(f"{role} {self._entered}", "start")
        actor.run = greenlet(lambda: self._play(actor, work), parent=self._hub)
        self.actors.append(actor)
        return actor

    def stop(self, at: str, ready: Callable[[], bool] = _at_once, about: str = "") -> None:
        """Called by the ports: the actor that plays stands before `at` until it is resumed.

        Raises:
            Crashed: its process died meanwhile.
        """
        actor = self._playing
        if actor is None:
            return  # The world is being built, and nobody can interrupt that.
        if not actor.gone:
            actor.at, actor.ready, actor.about = at, ready, about
            self._hub.switch()
        if actor.gone:
            raise Crashed

    def resume(self, actor: Actor) -> None:
        """Let it go on to the next use of a port, or to its end.

        Raises:
            Violation: a promise was broken on the way.
        """
        self._playing = actor
        try:
            actor.run.switch()
        finally:
            self._playing = None
            if actor.run.dead:
                self.actors.remove(actor)

    def crash(self, actor: Actor) -> None:
        """Its process dies where it stands, with everything it knew."""
        actor.gone = True
        self.resume(actor)

    def end(self) -> None:
        """Everybody dies where they stand."""
        while self.actors:
            self.crash(self.actors[-1])

    def _play(self, actor: Actor, work: Work) -> None:
        try:
            if not actor.gone:
                actor.at = str(work())
        except Crashed:
            actor.at = "gone"
        except InvariantBroken as broken:
            raise Violation(broken.code, broken.detail) from broken
        except GovernorError as refusal:
            actor.at = refusal.code
