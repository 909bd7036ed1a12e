"""A place where long work is asked for and carried out, with work that does as it is told."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from adapters.ids import TypeIds
from adapters.sql.runs import SqlRuns
from governor.bootstrap import Application
from governor.domain.credentials import Kind, Role
from governor.domain.runs import Run
from governor.usecases.callers import Caller
from governor.usecases.carrying import Carried
from governor.usecases.long_work import LongWork, long_work
from tests.builders import World, fresh_key

CONTENT = b"a line of a result\n" * 3


@dataclass
class Counting:
    """Work that is done at once, unless `meanwhile` does something in the middle of it."""

    meanwhile: Callable[[Carried], None] = lambda _: None
    content: bytes = CONTENT
    carried: list[tuple[Caller, Mapping[str, Any]]] = field(default_factory=list)
    roles = frozenset({Role.OPERATOR, Role.AUDITOR})

    def read(self, parameters: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        return {"asked_at": now.isoformat(), **parameters}

    def carry(self, caller: Caller, parameters: Mapping[str, Any], carried: Carried) -> dict[str, Any]:
        self.carried.append((caller, parameters))
        carried.at("counting", 1, 2)
        carried.write("lines.txt", "text/plain", [self.content])
        self.meanwhile(carried)
        carried.at("counting", 2, 2)
        return {"counted": len(self.carried)}


@dataclass
class Place:
    """A world in which long work of the kinds `counting` and `other` is done by `work`."""

    world: World
    work: Counting
    used: LongWork
    operator: Caller
    auditor: Caller

    def begin(self, caller: Caller | None = None, kind: str = "counting", **parameters: Any) -> Run:
        return self.used.runs.begin(caller or self.operator, kind, parameters, fresh_key("run"))[0]

    def carry_out(self) -> Run | None:
        return self.used.carry_out(never)

    def look(self, run: Run) -> Run:
        return self.used.runs.look(self.operator, run.id)

    def taken(self, run: Run, name: str = "lines.txt") -> bytes:
        return b"".join(self.used.runs.content(self.operator, run.id, name)[1])


def never() -> bool:
    """What a process that is not about to stop says."""
    return False


def at_work(app: Application, work: Counting) -> LongWork:
    """Long work as the application has it, of other kinds."""
    works = {"counting": work, "other": work}
    return long_work(SqlRuns(app.engine, app.store), TypeIds(), works, time.monotonic)


@pytest.fixture
def place(new_world: Callable[..., World]) -> Iterator[Place]:
    world, work = new_world(clock=True), Counting()
    world.advance(0)
    auditor = world.caller(Role.AUDITOR, "auditor", kind=Kind.HUMAN)
    yield Place(world, work, at_work(world.app, work), world.operator, auditor)
    assert world.app.audit.verify("test").broken is None


def told(place: Place, run: Run) -> list[str]:
    """What the audit trail says of a run."""
    with place.world.app.store.reading() as reads:
        rows = reads.audit("test", after=0, at_most=1000)
    return [row.entry.action for row in rows if row.entry.object == run.id]
