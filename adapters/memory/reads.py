"""Reading from memory: what governor.ports.reads promises, by looking at every row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from adapters.memory import waiting
from adapters.memory.desk import DeskReads
from adapters.memory.external import ExternalReads
from adapters.memory.limits import LimitReads
from adapters.memory.power import PowerReads
from adapters.memory.rules import RuleReads
from adapters.memory.tables import Tables
from governor.domain.admission import NextAction, PaymentBook
from governor.domain.approval import Vote
from governor.domain.audit import Place, Sealed
from governor.domain.environments import Environment
from governor.domain.lifecycle import Capacity
from governor.domain.limits import Charge, CounterKey, Holder, Usage
from governor.domain.payments import PaymentFacts
from governor.domain.requests import HoldRow, RefundRequest, hold_of_request, request_of
from governor.domain.windows import Span
from governor.ports.records import (
    WHOLE_TRAIL,
    AtTheGate,
    Operation,
    RecordedEvidence,
    RequestFilter,
    TrailFilter,
)


class MemoryReads(DeskReads, ExternalReads, LimitReads, PowerReads, RuleReads):
    """`governor.ports.reads.Reads`. `clock` says the store's time (UTC)."""

    def __init__(self, tables: Tables, clock: Callable[[], datetime]) -> None:
        self._tables = tables
        self._clock = clock

    def environment_named(self, name: str) -> Environment | None:
        """One environment."""
        row = self._tables.environments.get(name)
        return row.environment if row else None

    def environments(self) -> tuple[Environment, ...]:
        """All environments, by name."""
        return tuple(
            self._tables.environments[name].environment for name in sorted(self._tables.environments)
        )

    def request(self, environment: str, request_id: str) -> RefundRequest | None:
        """One refund request."""
        return self._tables.requests.get((environment, request_id))

    def environment_of(self, request_id: str) -> str | None:
        """Where a request lives; the way in for a job, which carries only an id."""
        return next((env for env, one in self._tables.requests if one == request_id), None)

    def at_the_gate(self, environment: str, request_id: str, credential_id: str) -> AtTheGate:
        """A request, its environment, and its credential with all ancestors, in one look."""
        return AtTheGate(
            request=self.request(environment, request_id),
            environment=self.environment_named(environment),
            chain=tuple(self._chain(environment, credential_id)),
            freezes=self.freezes(environment),
            votes=tuple(vote for vote, _ in self.votes(environment, hold_of_request(request_id))),
            same_history=True,
            now=self._clock(),
        )

    def request_by_key(self, environment: str, key: str) -> RefundRequest | None:
        """The request that this operation key names."""
        found = self._tables.operation_keys.get((environment, key))
        return None if found is None else self.request(environment, found)

    def request_by_hold(self, environment: str, hold: str) -> RefundRequest | None:
        """The request that this hold belongs to."""
        return self.request(environment, request_of(hold))

    def requests(
        self, environment: str, chosen: RequestFilter, *, after: str | None, at_most: int
    ) -> tuple[RefundRequest, ...]:
        """Newest first; `after` is the id of the last one already seen."""
        wanted = [
            one
            for one in waiting.requests_in(self._tables, environment)
            if (after is None or one.id < after)
            and one.state in (chosen.states or (one.state,))
            and one.payment in (chosen.payments or (one.payment,))
            and one.case in (chosen.cases or (one.case,))
            and one.customer in (chosen.customers or (one.customer,))
            and one.requested_by in (chosen.requested_by or (one.requested_by,))
        ]
        return tuple(sorted(wanted, key=lambda one: one.id, reverse=True)[:at_most])

    def questions(self, environment: str, requester: str, *, at_most: int) -> tuple[RefundRequest, ...]:
        """What this credential asked for and an approver sent back with a question that is not answered, newest first."""
        asked = [
            one
            for one in waiting.requests_in(self._tables, environment)
            if one.requested_by == requester and one.next_action is NextAction.ANSWER_QUESTION
        ]
        return tuple(sorted(asked, key=lambda one: one.id, reverse=True)[:at_most])

    def votes(self, environment: str, hold: str) -> tuple[tuple[Vote, datetime], ...]:
        """The decisions on a hold, oldest first."""
        return self._tables.votes.get((environment, hold), ())

    def hold_version(self, environment: str, hold: str, version: int) -> Mapping[str, Any] | None:
        """What an earlier version of a hold has shown."""
        return self._tables.hold_versions.get((environment, hold, version))

    def holds(self, environment: str, request_id: str) -> tuple[HoldRow, ...]:
        """What a request occupies, counter by counter."""
        return self._tables.holds.get((environment, request_id), ())

    def evidence(self, environment: str, request_id: str) -> tuple[RecordedEvidence, ...]:
        """All evidence of a request in the order of recording."""
        return self._tables.evidence.get((environment, request_id), ())

    def payment(self, environment: str, payment: str) -> tuple[PaymentFacts, PaymentBook] | None:
        """The cached facts of a payment, and what governor has taken of it."""
        row = self._tables.payments.get((environment, payment))
        if row is None:
            return None
        return row.facts, PaymentBook(row.reserved, row.settled, self._external(environment, payment))

    def usage(self, environment: str, charges: Iterable[Charge]) -> dict[CounterKey, Usage]:
        """What the charged counters hold; zeros for a counter that is not born yet."""
        return {
            charge.key: self._usage(environment, charge.key, charge.span)
            for charge in charges
            if charge.counted
        }

    def _usage(self, environment: str, key: CounterKey, span: Span) -> Usage:
        found = self._tables.counter_ids.get((environment, key))
        counter = self._tables.counters.get(found or 0)
        usage = Usage(counter.reserved, counter.settled) if counter else Usage()
        if span.since < span.start:
            usage.earlier = sum(
                one.reserved + one.settled
                for one in (self._tables.counters[i] for i in self._ids_of(environment, key))
                if span.since <= one.key.window_start < span.start
            )
        return usage

    def _ids_of(self, environment: str, like: CounterKey) -> Iterator[int]:
        for (env, key), counter in self._tables.counter_ids.items():
            if (env, key.limit, key.value) == (environment, like.limit, like.value):
                yield counter

    def holders(
        self, environment: str, keys: Sequence[CounterKey], *, at_most: int
    ) -> dict[CounterKey, tuple[Holder, ...]]:
        """Who holds capacity of these counters, newest first, `at_most` of each."""
        return {key: tuple(self._holders(environment, key))[:at_most] for key in keys}

    def _holders(self, environment: str, key: CounterKey) -> Iterator[Holder]:
        counter = self._tables.counter_ids.get((environment, key))
        for request in sorted(
            waiting.requests_in(self._tables, environment), key=lambda one: one.id, reverse=True
        ):
            for hold in self.holds(environment, request.id):
                if (hold.counter, hold.state) == (counter, Capacity.HELD):
                    yield Holder(request.id, request.hold or "", hold.amount)

    def anything_due(self, environment: str, now: datetime) -> bool:
        """Whether a queued request could be sent at `now`."""
        return bool(waiting.due(self._tables, environment, now))

    def anything_expired(self, environment: str, now: datetime) -> bool:
        """Whether a hold's time for approval is over at `now`."""
        return bool(waiting.expired(self._tables, environment, now))

    def anything_expiring(self, environment: str, now: datetime) -> bool:
        """Whether people are to be told at `now` that a hold's time for approval runs out."""
        return bool(waiting.expiring(self._tables, environment, now))

    def anything_unresolved(self, environment: str, now: datetime) -> bool:
        """Whether a request in doubt, or pending at the provider, is due for a look at `now`."""
        return bool(waiting.unresolved(self._tables, environment, now))

    def anything_lost(self, environment: str, now: datetime) -> bool:
        """Whether a lease has run out at `now`."""
        return bool(waiting.lost(self._tables, environment, now))

    def operation(self, environment: str, scope: str, key: str) -> Operation | None:
        """What an earlier POST with this key did."""
        return self._tables.operations.get((environment, scope, key))

    def audit(
        self, environment: str, *, after: int, at_most: int, chosen: TrailFilter = WHOLE_TRAIL
    ) -> tuple[Sealed, ...]:
        """The audit trail, oldest first, behind row `after`."""
        return self._trail(environment, after, chosen)[:at_most]

    def audit_end(
        self, environment: str, *, after: int, at_most: int, chosen: TrailFilter = WHOLE_TRAIL
    ) -> tuple[Sealed, ...]:
        """The last `at_most` of the same rows, oldest first."""
        return self._trail(environment, after, chosen)[-at_most:]

    def _trail(self, environment: str, after: int, chosen: TrailFilter) -> tuple[Sealed, ...]:
        last = self._tables.environments[environment].audit_seq
        rows = (self._tables.audit[environment, seq] for seq in range(after + 1, last + 1))
        return tuple(
            row
            for row in rows
            if row.seq <= (chosen.last or row.seq)
            and row.entry.object in (chosen.objects or (row.entry.object,))
            and (not chosen.actors or {row.entry.actor, row.entry.person} & set(chosen.actors))
            and row.entry.action in (chosen.actions or (row.entry.action,))
        )

    def audit_ends(self, environment: str) -> tuple[Place, int] | None:
        """Where the environment says that its trail ends, and the number of the newest row."""
        row = self._tables.environments.get(environment)
        return None if row is None else (Place(row.audit_seq, row.audit_hash), row.audit_seq)


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]
