"""Reading, in any transaction: every look-up names its environment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, TextClause

from adapters.sql import read_statements as sql
from adapters.sql import rows
from adapters.sql.approvals import ApprovalReads
from adapters.sql.desk import DeskReads
from adapters.sql.endpoints import EndpointReadings
from adapters.sql.execute import as_json, record, records
from adapters.sql.external import ExternalReads
from adapters.sql.limits import LimitReads
from adapters.sql.power import PowerReads
from adapters.sql.rules import RuleReads
from adapters.sql.stand_ins import StandInReads
from adapters.sql.surroundings import chains_from, read_gate
from adapters.sql.trail import TrailReads
from governor.domain.admission import PaymentBook
from governor.domain.credentials import Credential
from governor.domain.environments import Environment
from governor.domain.lifecycle import OPEN_STATES, State
from governor.domain.limits import Charge, CounterKey, Holder, Usage
from governor.domain.payments import PaymentFacts
from governor.domain.requests import HoldRow, RefundRequest, request_of
from governor.ports.records import AtTheGate, Operation, RecordedEvidence, RequestFilter


class SqlReads(
    ApprovalReads,
    DeskReads,
    EndpointReadings,
    ExternalReads,
    LimitReads,
    PowerReads,
    RuleReads,
    StandInReads,
    TrailReads,
):
    """`governor.ports.store.Reads` on one connection. `offset` is the development clock's."""

    def __init__(self, connection: Connection, offset: timedelta = timedelta(0)) -> None:
        self._connection = connection
        self._offset = offset

    def environment_named(self, name: str) -> Environment | None:
        """One environment."""
        row = record(self._connection, sql.ENVIRONMENT, name=name)
        return rows.environment_from(row) if row else None

    def environments(self) -> tuple[Environment, ...]:
        """All environments, by name."""
        return tuple(map(rows.environment_from, records(self._connection, sql.ENVIRONMENTS)))

    def credential_chains(self, environment: str, ids: Collection[str]) -> dict[str, tuple[Credential, ...]]:
        """Per credential: itself and its ancestors, itself first."""
        return chains_from(records(self._connection, sql.CHAINS, env=environment, credentials=sorted(ids)))

    def request(self, environment: str, request_id: str) -> RefundRequest | None:
        """One refund request."""
        return self._request(sql.REQUEST, environment, id=request_id)

    def environment_of(self, request_id: str) -> str | None:
        """Where a request lives; the way in for a job, which carries only an id."""
        found: str | None = self._connection.scalar(sql.ENVIRONMENT_OF, {"id": request_id})
        return found

    def at_the_gate(self, environment: str, request_id: str, credential_id: str) -> AtTheGate:
        """A request, its environment, and its credential with all ancestors, in one look."""
        asked = {"env": environment, "request_id": request_id, "credential_id": credential_id}
        return read_gate(self._connection, self._offset, **asked)

    def request_by_key(self, environment: str, key: str) -> RefundRequest | None:
        """The request that this operation key names."""
        return self._request(sql.BY_KEY, environment, keys=[key])

    def request_by_hold(self, environment: str, hold: str) -> RefundRequest | None:
        """The request that this hold belongs to."""
        return self.request(environment, request_of(hold))

    def _request(self, statement: Any, environment: str, **where: str | list[str]) -> RefundRequest | None:  # noqa: ANN401  TextClause
        row = record(self._connection, statement, env=environment, **where)
        return rows.request_from(row) if row else None

    def requests(
        self, environment: str, chosen: RequestFilter, *, after: str | None, at_most: int
    ) -> tuple[RefundRequest, ...]:
        """Newest first; `after` is the id of the last one already seen."""
        asked = {name: list(dict.fromkeys(names)) for name, names in vars(chosen).items()}
        statement = _narrowest(chosen)
        found = records(self._connection, statement, env=environment, after=after, at_most=at_most, **asked)
        return tuple(map(rows.request_from, found))

    def holds(self, environment: str, request_id: str) -> tuple[HoldRow, ...]:
        """What a request occupies, counter by counter."""
        return tuple(
            HoldRow(row["request"], row["counter"], row["limit"], row["amount"], row["state"], row["settled"])
            for row in records(self._connection, sql.HOLDS, env=environment, id=request_id)
        )

    def evidence(self, environment: str, request_id: str) -> tuple[RecordedEvidence, ...]:
        """All evidence of a request in the order of recording."""
        found = records(self._connection, sql.EVIDENCE, env=environment, id=request_id)
        return tuple(map(rows.evidence_from, found))

    def payment(self, environment: str, payment: str) -> tuple[PaymentFacts, PaymentBook] | None:
        """The cached facts of a payment, and what governor has taken of it."""
        row = record(self._connection, sql.PAYMENT, env=environment, id=payment)
        return rows.facts_from(row["row"], int(row["external"])) if row else None

    def usage(self, environment: str, charges: Iterable[Charge]) -> dict[CounterKey, Usage]:
        """What the charged counters hold; zeros for a counter that is not born yet."""
        keys = {charge.key: charge.span for charge in charges if charge.counted}
        asked = [
            {**rows.counter_row(key), "n": n, "since": span.since.isoformat()}
            for n, (key, span) in enumerate(keys.items())
        ]
        found = {
            row["n"]: row
            for row in records(self._connection, sql.USAGE, env=environment, rows=as_json(asked))
        }
        return {
            key: Usage(found[n]["reserved"], found[n]["settled"], found[n]["earlier"])
            for n, key in enumerate(keys)
        }

    def holders(
        self, environment: str, keys: Sequence[CounterKey], *, at_most: int
    ) -> dict[CounterKey, tuple[Holder, ...]]:
        """Who holds capacity of these counters, newest first, `at_most` of each."""
        asked = [{**rows.counter_row(key), "n": n} for n, key in enumerate(keys)]
        result: dict[CounterKey, tuple[Holder, ...]] = dict.fromkeys(keys, ())
        found = records(self._connection, sql.HOLDERS, env=environment, rows=as_json(asked), at_most=at_most)
        for row in found:
            key = keys[row["n"]]
            result[key] = (*result[key], Holder(row["request"], row["hold"], row["amount"]))
        return result

    def anything_due(self, environment: str, now: datetime) -> bool:
        """Whether a queued request could be sent at `now`."""
        return bool(self._connection.scalar(sql.ANYTHING_DUE, {"env": environment, "now": now}))

    def anything_expired(self, environment: str, now: datetime) -> bool:
        """Whether a hold's time for approval is over at `now`."""
        return bool(self._connection.scalar(sql.ANYTHING_EXPIRED, {"env": environment, "now": now}))

    def anything_unresolved(self, environment: str, now: datetime) -> bool:
        """Whether a request in doubt, or pending at the provider, is due for a look at `now`."""
        return bool(self._connection.scalar(sql.ANYTHING_UNRESOLVED, {"env": environment, "now": now}))

    def anything_lost(self, environment: str, now: datetime) -> bool:
        """Whether a lease has run out at `now`."""
        return bool(self._connection.scalar(sql.ANYTHING_LOST, {"env": environment, "now": now}))

    def history_changed(self, environment: str) -> bool:
        """Whether the database has another history than dispatch last saw."""
        return bool(self._connection.scalar(sql.HISTORY_CHANGED, {"env": environment}))

    def operation(self, environment: str, scope: str, key: str) -> Operation | None:
        """What an earlier POST with this key did."""
        row = record(self._connection, sql.OPERATION, env=environment, scope=scope, key=key)
        return (
            Operation(row["scope"], row["key"], row["fingerprint"], row["object_id"], row["status"])
            if row
            else None
        )


def _narrowest(chosen: RequestFilter) -> TextClause:
    """The statement that finds what is chosen by what there is least of."""
    ways = (
        (chosen.payments, sql.REQUESTS_OF_PAYMENTS),
        (chosen.cases, sql.REQUESTS_OF_CASES),
        (chosen.customers, sql.REQUESTS_OF_CUSTOMERS),
        (chosen.states and OPEN_STATES.issuperset(chosen.states), sql.REQUESTS_OF_STATES),
        (chosen.requested_by, sql.REQUESTS_OF_REQUESTERS),
        (chosen.states and State.SUCCEEDED not in chosen.states, sql.REQUESTS_OF_STATES),
    )
    return next((statement for named, statement in ways if named), sql.REQUESTS)
