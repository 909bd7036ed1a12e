"""From the books to figures, each time somebody asks: nothing is counted in a process, so none can forget it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from governor.domain.doubt import AGE_BUCKETS
from governor.domain.errors import Unavailable
from governor.domain.lifecycle import State
from governor.domain.limits import Limit, Scope, Usage
from governor.domain.outcome import Outcome
from governor.metrics.figures import Told
from governor.ports.store import UnitOfWork
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.callers import host
from governor.usecases.limit_board import LimitBoard
from governor.usecases.messages import Messages
from governor.usecases.oversight import Oversight
from governor.usecases.unknown_desk import UnknownDesk


class UseCases(Protocol):
    """The application, seen from here. `governor.bootstrap.Application` is one."""

    @property
    def store(self) -> UnitOfWork:
        """Which environments there are."""
        ...

    @property
    def oversight(self) -> Oversight:
        """Processes, the provider, and how the day went."""
        ...

    @property
    def unknown_desk(self) -> UnknownDesk:
        """What nobody knows yet."""
        ...

    @property
    def limit_board(self) -> LimitBoard:
        """Limits, with what is taken of them now."""
        ...

    @property
    def audit(self) -> AuditTrail:
        """How the trail is looked after."""
        ...

    @property
    def messages(self) -> Messages:
        """What nobody could be told of."""
        ...


class BooksCollector(Collector):
    """Reads everything anew for each scrape, in bounded looks."""

    def __init__(self, use: UseCases) -> None:
        self._use = use

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Everything, or that the database is away: half of it would look like a quiet day.

        Raises:
            InvariantBroken: the books are not what they should be; that is no figure.
        """
        told = Told()
        try:
            self._tell(told)
        except Unavailable:
            told = Told()
            told.tell("governor_database_up", 0)
        yield from told.families()

    def _tell(self, told: Told) -> None:
        now = self._use.store.now()
        with self._use.store.reading() as reads:
            environments = reads.environments()
        told.tell("governor_database_up", 1)
        for kind in self._use.oversight.processes([one.name for one in environments]):
            told.tell("governor_processes", len(kind.living), kind.kind)
            told.tell("governor_process_needed", kind.is_needed, kind.kind)
        for here in environments:
            for why, reason in here.stops.items():
                told.tell("governor_stopped", reason is not None, here.name, why)
            self._day(told, here.name, now)
            self._provider(told, here.name, now)
            self._trail(told, here.name, now)
            self._limits(told, here.name)

    def _day(self, told: Told, name: str, now: datetime) -> None:
        caller, oversight = host(name), self._use.oversight
        day, depth = oversight.last_day(caller), oversight.last_day.depth(caller)
        for verdict, count in day.verdicts.items():
            told.tell("governor_requests_last_day", count, name, verdict)
        for state in State:
            total = sum(counts.get(state, 0) for counts in day.hours.values())
            told.tell("governor_states_last_day", total, name, state)
        told.tell("governor_queued", depth.queued, name)
        told.tell("governor_queue_overdue_seconds", _age(now, depth.first_due_at), name)
        told.tell("governor_sending", depth.sending, name)
        told.tell("governor_for_approval", depth.for_approval, name)
        told.tell("governor_for_approval_oldest_seconds", _age(now, depth.oldest_asked_at), name)
        totals = self._use.unknown_desk.totals(caller)
        for age, _ in AGE_BUCKETS:
            count = sum(one.count for one in totals if one.age_bucket == age)
            told.tell("governor_in_doubt", count, name, age)

    def _provider(self, told: Told, name: str, now: datetime) -> None:
        health = self._use.oversight.provider(name)
        for outcome in Outcome:
            told.tell("governor_calls_last_day", health.calls.of(outcome), name, outcome)
        told.tell("governor_events_unread", health.unread.count, name)
        if health.webhook_at is not None:
            told.tell("governor_webhook_age_seconds", _age(now, health.webhook_at), name)
        for walk in health.walks:
            if walk.walked_at is not None:
                told.tell("governor_walk_age_seconds", _age(now, walk.walked_at), name, walk.list)

    def _trail(self, told: Told, name: str, now: datetime) -> None:
        care, passed_over = self._use.audit.care.of(name), self._use.messages.see.passed_over(host(name))
        if care.anchored is not None:
            told.tell("governor_trail_anchor_age_seconds", _age(now, care.anchored.at), name)
        if care.verified is not None:
            told.tell("governor_trail_broken", care.verified.broken is not None, name)
        told.tell("governor_rows_passed_over", 0 if passed_over is None else passed_over.count, name)

    def _limits(self, told: Told, name: str) -> None:
        """Of several limits that measure the same, the one with the least room: none is told by its id."""
        tightest: dict[tuple[str, str, str], tuple[Limit, Usage]] = {}
        for one in self._use.limit_board(host(name)):
            if one.limit.scope is not Scope.ENVIRONMENT or one.usage is None:
                continue
            measured = (one.limit.measure.value, one.limit.currency or "", one.limit.window.value)
            other = tightest.get(measured)
            if other is None or _room(one.limit, one.usage) < _room(*other):
                tightest[measured] = (one.limit, one.usage)
        for measured, (limit, usage) in tightest.items():
            told.tell("governor_limit_cap", limit.cap, name, *measured)
            told.tell("governor_limit_taken", usage.exposure, name, *measured)


def _room(limit: Limit, usage: Usage) -> int:
    return limit.cap - usage.exposure


def _age(now: datetime, at: datetime | None) -> float:
    """Seconds since then; 0 for what is yet to come, and where there is nothing."""
    return 0.0 if at is None else max(0.0, (now - at).total_seconds())
