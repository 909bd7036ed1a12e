from datetime import UTC, datetime, timedelta

from governor.domain.errors import Unavailable
from governor.domain.processes import (
    DUTIES,
    EVERY,
    KEPT,
    MISSED_AFTER,
    Process,
    ProcessKind,
    SeenProcess,
    attendance,
)
from governor.usecases.say_alive import SayAlive

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINE = Process("proc_mine", ProcessKind.CRON, "a-host", 17, "1.0")


def _seen(name: str, kind: ProcessKind, ago: timedelta) -> SeenProcess:
    process = Process(f"proc_{name}", kind, "a-host", 17, "1.0")
    return SeenProcess(process, NOW - timedelta(hours=1), NOW - ago)


class Heard:
    """What a process says of itself, in the order in which it says it; may hear nothing."""

    def __init__(self) -> None:
        self.said: list[tuple[object, ...]] = []
        self.away = False

    def _hear(self, *said: object) -> None:
        self.said.append(("unheard", *said) if self.away else said)
        if self.away:
            raise Unavailable("database_unavailable", "away")

    def now(self) -> datetime:
        return NOW

    def beat(self, process: Process, running: timedelta) -> None:
        self._hear("lives", process.id, running)

    def leave(self, process_id: str) -> None:
        self._hear("leaves", process_id)

    def forget(self, before: datetime) -> None:
        self._hear("forget", before)

    def seen(self, *, at_most: int) -> tuple[SeenProcess, ...]:
        raise AssertionError(f"nobody asks a process who else lives, of {at_most}")


def _made() -> tuple[SayAlive, Heard, list[float]]:
    heard, clock = Heard(), [100.0]
    return SayAlive(heard, MINE, lambda: clock[0]), heard, clock


def test_a_process_says_that_it_lives_at_once_and_then_every_ten_seconds() -> None:
    alive, heard, clock = _made()
    said = []
    for second in (100.0, 101.0, 109.9, 110.0, 119.0, 125.0):
        clock[0] = second
        said.append(alive())
    assert said == [True, False, False, True, False, True]
    lives = [("lives", "proc_mine", timedelta(seconds=seconds)) for seconds in (0, 10, 25)]
    assert heard.said == [("forget", NOW - KEPT), *lives]
    alive.leave()
    assert heard.said[4:] == [("leaves", "proc_mine")]


def test_a_database_that_is_away_is_not_pestered_and_nobody_dies_of_it() -> None:
    alive, heard, clock = _made()
    heard.away = True
    assert [alive(), alive()] == [False, False]
    assert len(heard.said) == 1, "the second call came too soon"
    heard.away, clock[0] = False, 100.0 + EVERY.total_seconds()
    assert alive()
    heard.away = True
    alive.leave()
    assert heard.said[1:] == [("lives", "proc_mine", EVERY), ("unheard", "leaves", "proc_mine")]


def test_who_said_nothing_for_a_minute_is_gone_and_a_kind_without_anybody_is_missing() -> None:
    second = timedelta(seconds=1)
    seen = [
        _seen("old", ProcessKind.WORKER, MISSED_AFTER),
        _seen("slow", ProcessKind.WORKER, MISSED_AFTER - second),
        _seen("new", ProcessKind.WORKER, second),
        _seen("dead", ProcessKind.CRON, timedelta(minutes=5)),
    ]
    found = {one.kind: one for one in attendance(seen, NOW, idle={ProcessKind.MESSENGER})}
    assert list(found) == list(ProcessKind)
    worker, cron = found[ProcessKind.WORKER], found[ProcessKind.CRON]
    assert [one.process.id for one in worker.living] == ["proc_new", "proc_slow"]
    assert [one.process.id for one in worker.gone] == ["proc_old"]
    assert (worker.is_missing, worker.seen_at) == (False, NOW - second)
    assert (cron.is_missing, cron.living, cron.seen_at) == (True, (), NOW - timedelta(minutes=5))
    assert (found[ProcessKind.RELAY].is_missing, found[ProcessKind.RELAY].seen_at) == (True, None)
    assert not found[ProcessKind.MESSENGER].is_missing, "nobody waits for one"


def test_of_every_kind_it_is_said_what_it_does_and_what_waits_without_it() -> None:
    assert set(DUTIES) == set(ProcessKind)
    assert all(duty.does and duty.without for duty in DUTIES.values())
