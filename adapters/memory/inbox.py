"""The inbox of the provider's events in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from adapters.memory.tables import KeptEvent, Tables
from governor.ports.inbox import Received, Walk
from governor.ports.provider import ProviderEvent

_LEASE = timedelta(minutes=1)
_LONGEST_LEASE = timedelta(hours=1)
_DOUBLINGS = 10


class MemoryInbox:
    """`governor.ports.inbox.EventInbox`. `clock` is the time of the store (UTC)."""

    def __init__(self, tables: Tables, clock: Callable[[], datetime]) -> None:
        self._tables = tables
        self._clock = clock

    def keep(self, environment: str, received: Sequence[Received]) -> int:
        """Store what is new, due now; returns how many were new."""
        new = 0
        for one in received:
            if (environment, one.event.id) not in self._tables.events:
                kept = KeptEvent(one.event, one.digest, self._clock(), self._clock())
                self._tables.events.add((environment, one.event.id), kept)
                new += 1
        self._tables.commit()
        return new

    def digest_of(self, environment: str, event_id: str) -> str | None:
        """The digest under which an event was kept first; None when none was."""
        kept = self._tables.events.get((environment, event_id))
        return kept.digest if kept else None

    def anything_due(self, environment: str) -> str | None:
        """The id of an event that is due to be read, if there is one."""
        due = self._due(environment)
        return due[0].event.id if due else None

    def take_due(self, environment: str, *, at_most: int) -> tuple[ProviderEvent, ...]:
        """Due events, oldest first; one that is not done comes due again, each time later."""
        taken = self._due(environment)[:at_most]
        for kept in taken:
            lease = min(_LEASE * 2 ** min(kept.tries, _DOUBLINGS), _LONGEST_LEASE)
            put_off = replace(kept, due_at=self._clock() + lease, tries=kept.tries + 1)
            self._tables.events.put((environment, kept.event.id), put_off)
        self._tables.commit()
        events = (kept.event for kept in taken)
        return tuple(sorted(events, key=lambda event: (event.happened_at, event.id)))

    def done(self, environment: str, ids: Sequence[str], result: str) -> None:
        """These were read: `result` is a short stable word. What was read before stays as it was."""
        for one in ids:
            kept = self._tables.events.get((environment, one))
            if kept is not None and kept.due_at is not None:
                read = replace(kept, due_at=None, result=result)
                self._tables.events.put((environment, one), read)
        self._tables.commit()

    def unread(self, environment: str, *, tries: int) -> tuple[int, datetime | None]:
        """How many events are still unread after so many tries, and since when the oldest is here."""
        found = [
            kept.received_at
            for (env, _), kept in self._tables.events.items()
            if env == environment and kept.due_at is not None and kept.tries >= tries
        ]
        return len(found), min(found, default=None)

    def environment_of(self, event_id: str) -> str | None:
        """Where an event was received, and has waited longest."""
        found = [(kept.due_at, env) for (env, one), kept in self._tables.events.items() if one == event_id]
        waiting = sorted((due, env) for due, env in found if due is not None)
        return waiting[0][1] if waiting else found[0][1] if found else None

    def walk(self, environment: str, name: str) -> Walk | None:
        """How far the list `events` or `refunds` was walked; None before the first time."""
        return self._tables.walks.get((environment, name))

    def tried(self, environment: str, name: str) -> datetime:
        """A walk of this list begins; returns when."""
        known, begun = self.walk(environment, name), self._clock()
        walk = replace(known, tried_at=begun) if known else Walk(None, None, begun)
        self._tables.walks.put((environment, name), walk)
        self._tables.commit()
        return begun

    def walked(self, environment: str, name: str, until: datetime, begun: datetime) -> None:
        """The walk that began at `begun` has come to the list's end, up to `until`; never moves back."""
        known = self.walk(environment, name) or Walk(None, None, begun)
        furthest, newest = max(until, known.until or until), max(begun, known.walked_at or begun)
        self._tables.walks.put((environment, name), Walk(furthest, newest, known.tried_at))
        self._tables.commit()

    def _due(self, environment: str) -> list[KeptEvent]:
        now = self._clock()
        waiting = [
            (kept.due_at, kept.event.id, kept)
            for (env, _), kept in self._tables.events.items()
            if env == environment and kept.due_at is not None and kept.due_at <= now
        ]
        return [kept for _, _, kept in sorted(waiting, key=lambda row: row[:2])]
