"""The one who strikes: carries out the plan, and undoes what has an end."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

import psutil
from redis import Redis
from redis.exceptions import RedisError

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from adapters.queue.doorbell import QUEUE
from adapters.sandbox.faults import REFUSE_CONNECTION
from governor.chaos.plan import PROVIDER, Blow, Strike
from governor.chaos.stage import Stage, move_clock
from governor.chaos.told import Told
from governor.domain.errors import Unavailable

WAITING_FAULTS: Final = 8
"""So many ordered faults may wait for their calls; more, and hardly a call would get through."""
FULL_QUEUE: Final = 5
INVENTED: Final = "rr_" + 26 * "0"


class Nemesis:
    """Call it from the main thread only: it starts processes, which end with the thread that started them."""

    def __init__(self, stage: Stage, told: Told, chance: Random) -> None:
        self._stage, self._told, self._chance = stage, told, chance
        self._undo: list[tuple[float, Callable[[], None]]] = []
        self._asleep: set[str] = set()
        self.blows: Counter[str] = Counter()
        self.killed = 0
        """Processes killed by SIGKILL, servers and their sessions included."""
        self.fired: Counter[str] = Counter()
        """How often each kind of fault has hit a call."""
        self._strikes: Mapping[Blow, Callable[[Strike], bool]] = {
            Blow.PROVIDER_FAULT: self._order_fault,
            Blow.KILL: self._kill,
            Blow.STOP: self._stop,
            Blow.PAUSE: self._pause,
            Blow.CLOCK: self._move_the_clock,
            Blow.RING: self._ring,
            Blow.FORGET_QUEUE: self._forget_queue,
            Blow.KILL_QUEUE: self._kill_queue,
            Blow.KILL_DATABASE: self._kill_database,
            Blow.KILL_SESSION: self._kill_session,
            Blow.DELIVERIES: self._deliver,
        }

    def strike(self, strike: Strike) -> None:
        """One blow. What cannot be hit at this moment (down, asleep, not ours) counts as missed."""
        try:
            done = self._strikes[strike.blow](strike)
        except (Unavailable, RedisError, psutil.NoSuchProcess):
            done = False
        self.blows[strike.blow if done else "missed"] += 1

    def tend(self) -> None:
        """Undo what has lasted long enough, and start again what has died."""
        now = time.monotonic()
        due = [undo for at, undo in self._undo if at <= now]
        self._undo = [(at, undo) for at, undo in self._undo if at > now]
        for undo in due:
            undo()
        for program in self._stage.programs.values():
            program.revive()

    def rest(self) -> None:
        """The storm is over: everybody up and awake, nothing ordered, everything delivered."""
        for _, undo in self._undo:
            undo()
        self._undo.clear()
        for fault in self._stage.twin.faults():
            self.fired[fault["kind"]] += fault["fired"]
        self._stage.twin.forget_faults()
        self._stage.twin.deliver("release")

    def _order_fault(self, strike: Strike) -> bool:
        if PROVIDER in self._asleep:
            return False
        twin = self._stage.twin
        ordered = [one for one in twin.faults() if one["kind"] != REFUSE_CONNECTION]
        if sum(one["times"] - one["fired"] for one in ordered) >= WAITING_FAULTS:
            return False
        method, _, path = strike.how.partition(" ")
        match = {"method": method, "path": path} if strike.how else {}
        delay_ms = round(1000 * strike.seconds)
        twin.order_fault(strike.target, times=strike.times, delay_ms=delay_ms, **match)
        return True

    def _kill(self, strike: Strike) -> bool:
        killed = self._stage.programs[strike.target].kill(strike.how)
        self.killed += killed
        return killed > 0

    def _stop(self, strike: Strike) -> bool:
        self._stage.programs[strike.target].ask_to_stop()
        return True

    def _move_the_clock(self, strike: Strike) -> bool:
        """Governor's time jumps, and jumps back: what was due in between is late or early for everybody."""
        jump = int(strike.how)
        move_clock(self._stage.clock, jump)
        self._later(strike.seconds, lambda: move_clock(self._stage.clock, -jump))
        return True

    def _ring(self, strike: Strike) -> bool:
        """Jobs that nobody needs: for requests that are decided long since, and for one that never was."""
        known = [decision.id for decision in self._told.decisions]
        for _ in range(strike.times if known else 0):
            self._stage.app.doorbell.ring(self._chance.choice(known))
        self._stage.app.doorbell.ring(INVENTED)
        return True

    def _pause(self, strike: Strike) -> bool:
        program = self._stage.programs[strike.target]
        program.pause()
        self._asleep.add(strike.target)

        def wake() -> None:
            program.go_on()
            self._asleep.discard(strike.target)

        self._later(strike.seconds, wake)
        return True

    def _forget_queue(self, _strike: Strike) -> bool:
        with Redis.from_url(self._stage.redis_url, socket_timeout=2) as redis:
            if int(redis.llen(f"rq:queue:{QUEUE}")) >= FULL_QUEUE:
                self._told.mark("queue_forgotten_with_jobs_in_it")
            redis.flushdb()
        return True

    def _kill_queue(self, strike: Strike) -> bool:
        return self._kill_server(self._stage.redis, strike)

    def _kill_database(self, strike: Strike) -> bool:
        return self._kill_server(self._stage.postgres, strike)

    def _kill_server(self, server: EmbeddedRedis | EmbeddedPostgres | None, strike: Strike) -> bool:
        """SIGKILL of a server of ours, which is started again a little later; False when it is not ours."""
        if server is None or server.pid is None:
            return False
        os.kill(server.pid, signal.SIGKILL)
        self.killed += 1
        self._later(strike.seconds, server.start)
        return True

    def _kill_session(self, _strike: Strike) -> bool:
        """One session of the database: the server then ends all the others and recovers."""
        server = self._stage.postgres
        if server is None or server.pid is None:
            return False
        sessions = [
            child
            for child in psutil.Process(server.pid).children()
            if " ".join(child.cmdline()).startswith("postgres: governor ")
        ]
        if not sessions:
            return False
        self._chance.choice(sessions).kill()
        self.killed += 1
        return True

    def _deliver(self, strike: Strike) -> bool:
        if PROVIDER in self._asleep:
            return False
        self._stage.twin.deliver(strike.target)
        return True

    def _later(self, seconds: float, undo: Callable[[], None]) -> None:
        self._undo.append((time.monotonic() + seconds, undo))
