"""Late limits in memory: what waits for a proof that it fits, and how its holds come to be where it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from adapters.memory import waiting
from adapters.memory.collecting import CollectingTransaction
from governor.domain.lifecycle import State
from governor.domain.limits import Charge, CounterKey
from governor.domain.requests import RefundRequest


class LateLimitWrites(CollectingTransaction):
    """The part of `governor.ports.store.Transaction` that proves capacity to limits which came later."""

    def unproven_exposure(self, charges: Iterable[Charge]) -> dict[CounterKey, int]:
        """What of each charged counter's window waiting requests hold that were not proven to fit under its limit."""
        return {one.key: sum(self._unproven(one)) for one in charges if one.counted}

    def _unproven(self, charge: Charge) -> Iterator[int]:
        for request in self._waiting(State.QUEUED, State.PENDING_APPROVAL):
            for hold in self.holds(self.here.name, request.id):
                key = self._tables.counters[hold.counter].key
                there = (key.limit, key.value) == (charge.key.limit, charge.key.value)
                now = charge.span.since <= key.window_start <= charge.span.start
                if key.limit in request.unproven and there and now:
                    yield hold.amount

    def _waiting(self, *states: State) -> list[RefundRequest]:
        found = waiting.requests_in(self._tables, self.here.name, *states)
        return sorted((one for one in found if one.unproven), key=lambda one: one.id)

    def rebook(self, request: str, charges: Sequence[Charge]) -> None:
        """Move what a request holds on these limits into the counters charged now, where they are other ones."""
        moved = list(self.holds(self.here.name, request))
        for charge in (one for one in charges if one.counted):
            for n, hold in enumerate(moved):
                key = self._tables.counters[hold.counter].key
                if (key.limit, key.value) == (charge.key.limit, charge.key.value) and key != charge.key:
                    moved[n] = replace(hold, counter=self._counter(charge))
                    self._count(hold.counter, reserved=-hold.amount, settled=0)
                    self._count(moved[n].counter, reserved=hold.amount, settled=0)
        if moved:
            self._tables.holds.put((self.here.name, request), tuple(moved))

    def parked(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Queued requests that wait for room under a limit that came later, oldest first."""
        return tuple(one for one in self._waiting(State.QUEUED) if one.parked)[:at_most]
