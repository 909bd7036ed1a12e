"""What a transaction is going to write: collected first, and written by `flush`, as in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from adapters.memory.reads import MemoryReads
from adapters.memory.tables import Bell, Counter, PaymentRow, Tables
from governor.domain.audit import Entry, guarded, seal
from governor.domain.environments import Environment
from governor.domain.errors import NotFound
from governor.domain.lifecycle import Capacity
from governor.domain.limits import Charge
from governor.domain.payments import PaymentFacts
from governor.domain.requests import HoldRow, RefundRequest


class CollectingTransaction(MemoryReads):
    """The part of a transaction that collects, as the adapter of PostgreSQL does: nobody reads it before `flush`."""

    def __init__(self, tables: Tables, name: str, clock: Callable[[], datetime]) -> None:
        super().__init__(tables, clock)
        row = tables.environments.get(name)
        if row is None:
            raise NotFound("environment_not_found", "There is no such environment.")
        self.here: Environment = row.environment
        self.now: datetime = clock()
        self._limits_revision = row.environment.limits_revision
        self._collected: list[Callable[[], None]] = []
        self._taken = False

    def _read_at(self) -> datetime:
        return self.now

    def add_requests(self, requests: Sequence[RefundRequest]) -> None:
        """New requests, admitted or denied."""
        self._collected.append(lambda: self._add_requests(requests))

    def _add_requests(self, requests: Sequence[RefundRequest]) -> None:
        for request in requests:
            self._tables.operation_keys.add((request.environment, request.operation_key), request.id)
            self._tables.requests.add((request.environment, request.id), request)

    def take(self, request: str, charges: Sequence[Charge], *, moved_minor: int | None = None) -> None:
        """Reserve: one held share per charge. Counters that do not exist yet are born here, once.

        `moved_minor` books what has left already, for a limit that came later than the refund.
        """
        counted = [charge for charge in charges if charge.counted]
        self._collected.append(lambda: self._take(request, counted, moved_minor))
        self._taken = True

    def _take(self, request: str, charges: Sequence[Charge], moved_minor: int | None) -> None:
        for charge in charges:
            number = self._counter(charge)
            gone = 0 if moved_minor is None else charge.of(moved_minor).amount
            state = Capacity.SETTLED if gone else Capacity.HELD
            hold = HoldRow(request, number, charge.limit.id, charge.amount, state.value, gone)
            self._count(number, reserved=charge.amount if moved_minor is None else 0, settled=gone)
            held = (*self.holds(self.here.name, request), hold)
            self._tables.holds.put(
                (self.here.name, request), tuple(sorted(held, key=lambda one: one.counter))
            )

    def _counter(self, charge: Charge) -> int:
        named = self.here.name, charge.key
        if named not in self._tables.counter_ids:
            number = len(self._tables.counters) + 1
            self._tables.counter_ids.put(named, number)
            self._tables.counters.put(number, Counter(charge.key))
        return self._tables.counter_ids[named]

    def _count(self, number: int, *, reserved: int, settled: int) -> None:
        counter = self._tables.counters[number]
        counted = Counter(counter.key, counter.reserved + reserved, counter.settled + settled)
        self._tables.counters.put(number, counted)

    def save_facts(self, facts: PaymentFacts, *, reserve: int = 0) -> None:
        """Keep what the provider showed of a payment, and reserve `reserve` minor units of it."""
        self._collected.append(lambda: self._save_facts(facts, reserve))

    def _save_facts(self, facts: PaymentFacts, reserve: int) -> None:
        key = self.here.name, facts.payment
        known = self._tables.payments.get(key)
        reserved, settled = (known.reserved, known.settled) if known else (0, 0)
        self._tables.payments.put(key, PaymentRow(facts, reserved + reserve, settled))

    def enqueue(self, requests: Iterable[tuple[str, datetime]]) -> None:
        """Outbox rows: ring for these requests at these times."""
        rows = [Bell(self.here.name, request, due) for request, due in requests]
        self._collected.append(lambda: self._enqueue(rows))

    def _enqueue(self, rows: Sequence[Bell]) -> None:
        for row in rows:
            self._tables.bells.add(max(self._tables.bells, default=0) + 1, row)

    def append_audit(self, entries: Sequence[Entry]) -> None:
        """Seal entries behind the head of the environment's chain."""
        self._collected.append(lambda: self._append_audit(entries))

    def _append_audit(self, entries: Sequence[Entry]) -> None:
        name = self.here.name
        known = {"limits_revision": self._limits_revision}
        for written in entries:
            entry = guarded(written, known)
            row = self._tables.environments[name]
            # Never before the row it seals, whatever the clock shows.
            at = max(row.audit_at, self.now)
            sealed = seal(name, row.audit_seq + 1, at, entry, row.audit_hash)
            self._tables.audit.add((name, sealed.seq), sealed)
            head = replace(row, audit_seq=sealed.seq, audit_hash=sealed.hash, audit_at=at)
            self._tables.environments.put(name, head)

    def write_takes(self) -> None:
        """What was taken in this transaction must be there before it can be carried on."""
        if self._taken:
            self.flush()

    def flush(self) -> None:
        """Write what was collected."""
        self._taken = False
        collected, self._collected = self._collected, []
        for write in collected:
            write()
