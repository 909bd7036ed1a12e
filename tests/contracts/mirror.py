"""Two stores at once: whatever is asked of the one in memory is asked of PostgreSQL, too, and must be answered alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from adapters.memory.reads import MemoryReads
from adapters.memory.tables import Tables
from adapters.memory.unit_of_work import MemoryUnitOfWork
from adapters.sql.reads import SqlReads
from adapters.sql.transaction import SqlTransaction
from adapters.sql.unit_of_work import SqlUnitOfWork
from governor.domain.canonical import canonical_json
from governor.domain.environments import Environment
from governor.domain.lifecycle import State
from governor.domain.requests import HoldRow
from governor.ports.reads import Reads
from governor.ports.records import AtTheGate, RequestFilter, TrailFilter
from governor.ports.store import Transaction

LATEST = datetime.max.replace(tzinfo=UTC)
EVERYTHING: dict[str, Any] = {"at_most": 10_000}


class Both:
    """Everything by name: asked of both, compared, and answered as the memory does."""

    def __init__(self, here: MemoryReads, there: SqlReads, asked: Counter[str]) -> None:
        self._here = here
        self._there = there
        self._asked = asked

    def __getattr__(self, name: str) -> Any:
        ours, theirs = getattr(self._here, name), getattr(self._there, name)
        self._asked[name] += 1
        if not callable(ours):
            assert ours == theirs, name
            return ours
        return lambda *given, **named: _compared(name, given, named, ours, theirs)


def _compared(
    name: str,
    given: tuple[Any, ...],
    named: dict[str, Any],
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
) -> Any:
    given = tuple(list(one) if isinstance(one, Iterator) else one for one in given)
    mine, other = ours(*given, **named), theirs(*given, **named)
    assert alike(name, mine) == alike(name, other), (name, given, named)
    return mine


_UNORDERED = {
    "evidence",
    "holds",
    "requests_seen",
    "unresolved",
    "lost_leases",
    "expired_holds",
    "external_refunds",
}
"""Answers whose order is not promised, or not among equals."""


def alike(name: str, answer: Any) -> Any:
    """An answer without what is each store's own: the numbers of counters, and the time of a look at the gate."""
    if isinstance(answer, AtTheGate):
        return replace(answer, now=LATEST)
    if name == "audit":
        return [(row.seq, row.at, row.hash, canonical_json(vars(row.entry))) for row in answer]
    if name == "holds":
        answer = [replace(cast("HoldRow", one), counter=0) for one in answer]
    return sorted(answer, key=lambda one: getattr(one, "id", repr(one))) if name in _UNORDERED else answer


@dataclass
class Mirror:
    """`governor.ports.store.UnitOfWork` on both. Time is the memory's."""

    memory: MemoryUnitOfWork
    sql: SqlUnitOfWork
    asked: Counter[str] = field(default_factory=Counter)
    """How often each thing was asked and answered alike."""

    @contextmanager
    def environment(self, name: str) -> Iterator[Transaction]:
        with self.sql.environment(name) as there, self.memory.environment(name) as here:
            _set_time(there, here.now)
            yield cast("Transaction", Both(here, there, self.asked))

    @contextmanager
    def reading(self) -> Iterator[Reads]:
        with self.sql.reading() as there, self.memory.reading() as here:
            there.now = self.memory.now()
            yield cast("Reads", Both(here, there, self.asked))

    def now(self) -> datetime:
        return self.memory.now()

    def add_environment(self, environment: Environment) -> bool:
        added = self.memory.add_environment(environment)
        assert self.sql.add_environment(environment) is added
        return added

    def note_use(self, environment: str, credential_id: str) -> None:
        self.memory.note_use(environment, credential_id)

    def mark_in_flight(self, environment: str, key: str, seconds: int) -> bool:
        return self.memory.mark_in_flight(environment, key, seconds)

    def clear_in_flight(self, environment: str, key: str) -> None:
        self.memory.clear_in_flight(environment, key)

    def compare_everything(self) -> None:
        """Look at every row through the port."""
        tables = self.memory.tables
        with self.reading() as reads:
            for name in tables.environments:
                _compare(reads, tables, name)


def _set_time(transaction: SqlTransaction, now: datetime) -> None:
    """PostgreSQL's clock goes by itself; here it shows what the memory's shows."""
    transaction.now = transaction._pending._now = now


def _compare_limits_then(reads: Reads, environment: str, at: datetime) -> None:
    for moment in (at, at - timedelta(hours=1)):
        found = reads.limits_then(environment, moment, after=None, **EVERYTHING)
        reads.limits_then(environment, moment, after=found[0].id if found else None, at_most=1)
        reads.limit_changes_until(environment, moment, [one.id for one in found[1:]])


def _compare(reads: Reads, tables: Tables, environment: str) -> None:
    reads.environment_named(environment)
    reads.credentials(environment)
    for limit in reads.limits(environment, archived=True):
        reads.counters(environment, limit.id, **EVERYTHING)
        reads.limit_changes(environment, limit.id)
        reads.open_limit_changes(environment, tables.environments[environment].audit_at, limit.id)
        reads.window_sums(environment, limit.id, None, **EVERYTHING)
    reads.open_limit_changes(environment, tables.environments[environment].audit_at)
    _compare_limits_then(reads, environment, tables.environments[environment].audit_at)
    for request in reads.requests(environment, RequestFilter(), after=None, **EVERYTHING):
        reads.holds(environment, request.id)
        reads.evidence(environment, request.id)
        reads.votes(environment, request.hold or "")
        reads.hold_version(environment, request.hold or "", 1)
    for env, payment in tables.payments:
        reads.payment(env, payment)
        reads.unresolved_of(env, payment)
    for refund in reads.list_external_refunds(environment, after=None, **EVERYTHING):
        reads.holds(environment, refund.id)
    for env, scope, key in tables.operations:
        reads.operation(env, scope, key)
    for env, freeze in tables.freezes:
        reads.freeze(env, freeze)
    reads.freezes(environment)
    desk = reads.in_doubt(environment, after=None, **EVERYTHING)
    reads.in_doubt(environment, after=desk[0].request.id if desk else None, at_most=2)
    reads.in_doubt_totals(environment, tables.environments[environment].audit_at)
    _compare_lists(reads, environment)
    reads.audit_ends(environment)


def _compare_lists(reads: Reads, environment: str) -> None:
    """Whatever is named of what a list is to show, the same rows are found, by whichever way they are looked for."""
    newest = reads.requests(environment, RequestFilter(), after=None, at_most=20)
    others = tuple(state for state in State if state is not State.SUCCEEDED)
    for states in ((State.SUCCEEDED, State.DENIED), others, *((state,) for state in State)):
        reads.requests(environment, RequestFilter(states), after=None, at_most=3)
        reads.requests(environment, RequestFilter(states), after=newest[-1].id, at_most=3)
    for one in newest:
        reads.questions(environment, one.requested_by, at_most=2)
        of_payment = RequestFilter(states=(one.state,), payments=(one.payment,))
        of_requester = RequestFilter(states=(one.state,), requested_by=(one.requested_by,))
        for wanted in (of_payment, of_requester):
            reads.requests(environment, wanted, after=newest[0].id, at_most=3)
    rows = reads.audit(environment, after=0, **EVERYTHING)
    people = {row.entry.person for row in rows if row.entry.person is not None}
    actors = tuple({row.entry.actor for row in rows} | people)
    actions = tuple({row.entry.action for row in rows})[:3]
    of_some = (TrailFilter(actions=actions), TrailFilter(actors=("governor", "nobody"), last=40))
    of_each = (TrailFilter(actors=(one,)) for one in actors)
    for chosen in (*of_some, TrailFilter(actors=actors, actions=actions), *of_each):
        reads.audit(environment, after=3, at_most=5, chosen=chosen)
        reads.audit_end(environment, after=3, at_most=5, chosen=chosen)
