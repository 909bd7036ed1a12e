"""One writing transaction of one environment. Writes are collected and flushed set-based, in one statement."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from adapters.bucket import filled
from adapters.sql import rows
from adapters.sql import write_statements as sql
from adapters.sql.approvals import ApprovalWrites
from adapters.sql.desk import DeskWrites
from adapters.sql.endpoints import EndpointWrites
from adapters.sql.execute import as_json, record, records
from adapters.sql.external import carry_external, external_since, save_external
from adapters.sql.late_limits import LateLimitWrites
from adapters.sql.limits import LimitWrites
from adapters.sql.pending import PendingWrites
from adapters.sql.power import PowerWrites
from adapters.sql.reads import SqlReads
from adapters.sql.rules import PolicySeen, RuleWrites
from adapters.sql.run_writes import RunWrites
from adapters.sql.stand_ins import StandInWrites
from adapters.sql.surroundings import read_surroundings
from governor.domain.audit import Entry
from governor.domain.canonical import canonical_json
from governor.domain.environments import Environment
from governor.domain.errors import NotFound
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import CAPACITY, OPEN_STATES, Capacity
from governor.domain.limits import Charge
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest
from governor.ports.records import Operation, RecordedEvidence, Surroundings


class SqlTransaction(
    ApprovalWrites,
    DeskWrites,
    EndpointWrites,
    LateLimitWrites,
    LimitWrites,
    PowerWrites,
    RuleWrites,
    RunWrites,
    StandInWrites,
    SqlReads,
):
    """`governor.ports.store.Transaction`: holds the environment's line from its first statement on."""

    def __init__(self, connection: Connection, name: str, offset: timedelta, policy_seen: PolicySeen) -> None:
        super().__init__(connection, offset)
        self._policy_seen = policy_seen
        row = record(connection, sql.LINE, env=name)
        if row is None:
            raise NotFound("environment_not_found", "There is no such environment.")
        self.here: Environment = rows.environment_from(row)
        self.now: datetime = rows.instant(row["now"]) + offset
        self._tokens, self._tokens_at = row["tokens"], rows.instant(row["tokens_at"])
        self._pending = PendingWrites(name, self.now, row)

    # What an admission writes

    def add_requests(self, requests: Sequence[RefundRequest]) -> None:
        """New requests, admitted or denied."""
        self._pending.add_requests(requests)

    def take(self, request: str, charges: Sequence[Charge], *, moved_minor: int | None = None) -> None:
        """Reserve: one held share per charge. Counters that do not exist yet are born here, once.

        `moved_minor` books what has left already, for a limit that came later than the refund.
        """
        self._pending.take(request, charges, moved_minor=moved_minor)

    def save_facts(self, facts: PaymentFacts, *, reserve: int = 0) -> None:
        """Keep what the provider showed of a payment, and reserve `reserve` minor units of it."""
        self._pending.save_facts(facts, reserve=reserve)

    def enqueue(self, requests: Iterable[tuple[str, datetime]]) -> None:
        """Outbox rows: ring for these requests at these times."""
        self._pending.enqueue(requests)

    def append_audit(self, entries: Sequence[Entry]) -> None:
        """Seal entries behind the head of the environment's chain."""
        self._pending.append_audit(entries)

    def flush(self) -> None:
        """Write what was collected, in one statement."""
        if self._pending:
            self._connection.execute(sql.FLUSH, self._pending.drain())

    # What moves a request on

    def save_requests(self, requests: Sequence[RefundRequest]) -> None:
        """Write the present standing of requests whose capacity stays where it is."""
        self._connection.execute(sql.SAVE_REQUESTS, self._standing(requests))

    def _standing(self, requests: Sequence[RefundRequest]) -> dict[str, Any]:
        return {
            "env": self.here.name,
            "ids": [request.id for request in requests],
            "rows": as_json(map(rows.request_row, requests)),
        }

    def carry(self, before: RefundRequest, after: RefundRequest) -> None:
        """Write a request's new standing and carry its capacity with it: counters, holds and payment."""
        if self._pending.takes:
            self.flush()  # A hold must be there before it can be carried.
        was, now = CAPACITY[before.state], CAPACITY[after.state]
        settled = after.moved_minor if now is Capacity.SETTLED else 0
        if was is now and settled == _settled(before) and after.amount_minor == before.amount_minor:
            self.save_requests([after])
            return
        carried = {
            "request": after.id,
            "state": now.value,
            "amount": after.amount_minor,
            "moved": settled,
            "payment": after.payment,
            "reserved": _reserved(after) - _reserved(before),
            "settled": settled - _settled(before),
        }
        self._connection.execute(sql.CARRY, carried | self._standing([after]))

    def book_external(
        self, before: ExternalRefund | None, after: ExternalRefund, charges: Sequence[Charge] = ()
    ) -> None:
        """Write a refund made elsewhere and carry its room with it; `charges` are taken by one seen first."""
        save_external(self._connection, self.here.name, after)
        if before is None:
            self.take(after.id, charges, moved_minor=after.moved_minor)
        elif before.capacity is not after.capacity:
            if self._pending.takes:
                self.flush()
            carry_external(self._connection, self.here.name, after)

    def add_evidence(self, request: str, recorded: RecordedEvidence) -> bool:
        """Append evidence under its natural key; False when exactly this was known already."""
        row = rows.evidence_row(recorded)
        meaning = {name: value for name, value in row.items() if name != "recorded_at"}
        row |= {
            "environment": self.here.name,
            "request": request,
            "natural_key": hashlib.sha256(canonical_json(meaning)).hexdigest(),
        }
        return self._connection.execute(sql.ADD_EVIDENCE, {"rows": as_json([row])}).first() is not None

    def add_operation(self, operation: Operation) -> None:
        """Remember what a key did."""
        self._run(sql.ADD_OPERATION, **vars(operation), now=self.now)

    # Settings

    def save_environment(self, environment: Environment) -> None:
        """The environment's new settings."""
        values = vars(environment) | {
            "mode": environment.mode.value,
            "late_limits": environment.late_limits.value,
            "prove_above": json.dumps(dict(environment.prove_above)),
            "type_above": json.dumps(dict(environment.type_above)),
        }
        for fixed in ("name", "account", "created_at", "limits_revision"):
            del values[fixed]
        self._run(sql.SAVE_ENVIRONMENT, **values)
        self.here = environment

    def follow_history(self) -> tuple[str, str] | None:
        """From now on the database's present history is the one that dispatch has seen."""
        changed = self._connection.execute(sql.FOLLOW_HISTORY, {"env": self.here.name}).first()
        return (changed.before, changed.now) if changed else None

    # Reading what only a transaction needs

    def surroundings(
        self, keys: Collection[str], credentials: Collection[str], payments: Collection[str], since: datetime
    ) -> Surroundings:
        """What is known of these operation keys, credentials and payments; siblings that succeeded after `since`."""
        asked = {"keys": sorted(keys), "credentials": sorted(credentials), "payments": sorted(payments)}
        return read_surroundings(self._connection, env=self.here.name, now=self.now, since=since, **asked)

    def expired_holds(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests whose approval time is over, though nobody has booked that yet."""
        return self._found(sql.EXPIRED, now=self.now, at_most=at_most)

    def due(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Queued requests that may be sent now: oldest first, one per payment, none beside an unresolved one."""
        firsts: dict[str, RefundRequest] = {}
        for request in self._found(sql.DUE, now=self.now, at_most=at_most * 4):
            firsts.setdefault(request.payment, request)
        return tuple(firsts.values())[:at_most]

    def unresolved(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests in doubt or pending at the provider that are due for a look."""
        return self._found(sql.UNRESOLVED, now=self.now, at_most=at_most)

    def lost_leases(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests whose worker did not report back in time."""
        return self._found(sql.LOST, now=self.now, at_most=at_most)

    def exposed_since(self, since: datetime) -> tuple[RefundRequest, ...]:
        """Every open request, and those admitted since then that have succeeded."""
        return self._found(sql.EXPOSED, open=sorted(OPEN_STATES), since=since)

    def _found(self, statement: Any, **parameters: Any) -> tuple[RefundRequest, ...]:  # noqa: ANN401  a TextClause and its bind values
        found = records(self._connection, statement, env=self.here.name, **parameters)
        return tuple(map(rows.request_from, found))

    def external_since(self, since: datetime) -> tuple[ExternalRefund, ...]:
        """Refunds made elsewhere that are not final yet, and those since then that have succeeded."""
        return external_since(self._connection, self.here.name, since)

    def take_tokens(self, wanted: int) -> int:
        """Up to `wanted` provider calls that the environment's rate allows now; they count as made."""
        tokens = filled(self._tokens, self.here.rate_per_second, self.now - self._tokens_at)
        granted = min(wanted, int(tokens))
        self._tokens, self._tokens_at = tokens - granted, self.now
        self._run(sql.SAVE_TOKENS, tokens=self._tokens, now=self.now)
        return granted


def _reserved(request: RefundRequest) -> int:
    return request.amount_minor if CAPACITY[request.state] is Capacity.HELD else 0


def _settled(request: RefundRequest) -> int:
    return request.moved_minor if CAPACITY[request.state] is Capacity.SETTLED else 0
