"""The books in one read-only snapshot: what `governor fsck` looks at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, TextClause, exc, text

from adapters.sql import fsck_statements as sql
from adapters.sql import rows
from adapters.sql.execute import record
from adapters.sql.external import external_from
from adapters.sql.reads import SqlReads
from governor.domain.audit import Place, Sealed
from governor.domain.environments import Environment
from governor.domain.errors import NotFound, Unavailable
from governor.domain.evidence import Evidence
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import Capacity, State
from governor.domain.limits import Limit
from governor.domain.requests import RefundRequest
from governor.ports.books import Finding, OpenRequest

_AT_ONCE = 500
"""How many rows of a long list are in memory at a time."""

# A check may take longer than any decision may, and nobody waits for its locks: it takes none.
_UNHURRIED = text("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")


class SqlBooks:
    """`governor.ports.books.Books` on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def opened(self) -> Iterator[SqlOpenBooks]:
        """A repeatable-read snapshot, read-only.

        Raises:
            Unavailable: `database_unavailable`.
        """
        snapshot = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        try:
            with self._engine.connect().execution_options(**snapshot) as connection:
                connection.execute(_UNHURRIED)
                yield SqlOpenBooks(connection)
        except (exc.DBAPIError, exc.TimeoutError) as error:
            raise Unavailable("database_unavailable", "The database cannot be read.") from error


class SqlOpenBooks:
    """`governor.ports.books.OpenBooks` in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._reads = SqlReads(connection)

    def environments(self) -> tuple[str, ...]:
        """All environments, by name."""
        return tuple(environment.name for environment in self._reads.environments())

    def sizes(self, environment: str) -> Mapping[str, int]:
        """How many rows of each kind there are to check."""
        return record(self._connection, sql.SIZES, env=environment) or {}

    def wrong_sums(self, environment: str) -> Iterator[Finding]:
        """Counters whose `reserved` or `settled` is not the sum of their holds (invariant 17)."""
        return self._findings(sql.WRONG_SUMS, environment)

    def wrong_holds(self, environment: str, capacity: Mapping[State, Capacity]) -> Iterator[Finding]:
        """Holds that are not what the state of their request makes of capacity, or settle another amount."""
        return self._findings(sql.WRONG_HOLDS, environment, capacity=json.dumps(dict(capacity)))

    def wrong_payments(self, environment: str, capacity: Mapping[State, Capacity]) -> Iterator[Finding]:
        """Payments whose `reserved` or `settled` is not the sum over their requests."""
        return self._findings(sql.WRONG_PAYMENTS, environment, capacity=json.dumps(dict(capacity)))

    def wrong_columns(self, environment: str) -> Iterator[Finding]:
        """Requests and external refunds whose columns contradict their state, and outbox rows without a request."""
        yield from self._findings(sql.WRONG_COLUMNS, environment)
        yield from self._findings(sql.WRONG_OUTBOX, environment)
        yield from self._findings(sql.WRONG_EXTERNAL, environment)

    def wrong_environment(self, environment: str) -> Iterator[Finding]:
        """An environment whose freeze is not the one that stands, and memberships that are not as their person is."""
        yield from self._findings(sql.WRONG_FREEZE, environment)
        yield from self._findings(sql.WRONG_MEMBERSHIPS, environment)

    def wrong_messages(self, environment: str) -> Iterator[Finding]:
        """Messages that an endpoint which wants them does not get, or that are told out of turn."""
        return self._findings(sql.WRONG_MESSAGES, environment)

    def limits(self, environment: str) -> tuple[Limit, ...]:
        """The limits and tallies that are not archived."""
        return self._reads.charged_limits(environment)

    def open_requests(self, environment: str, states: frozenset[State]) -> Iterator[OpenRequest]:
        """Every request in one of these states, with its holds."""
        for row in self._streamed(sql.OPEN_REQUESTS, env=environment, states=sorted(states)):
            held = {(limit, value): amount for limit, value, amount in row["holds"]}
            yield OpenRequest(rows.request_from(row["request"]), held)

    def environment(self, environment: str) -> Environment:
        """Its settings.

        Raises:
            NotFound: `environment_not_found`.
        """
        found = self._reads.environment_named(environment)
        if found is None:
            raise NotFound("environment_not_found", "There is no such environment.")
        return found

    def requests_between(
        self, environment: str, currency: str, since: datetime, until: datetime
    ) -> Iterator[tuple[RefundRequest, tuple[Evidence, ...]]]:
        """Requests made then, or whose refund the provider made then, each with all its evidence."""
        asked = {"env": environment, "currency": currency, "since": since, "until": until}
        for row in self._streamed(sql.REQUESTS_BETWEEN, **asked):
            evidence = tuple(rows.evidence_from(one).evidence for one in row["evidence"])
            yield rows.request_from(row["request"]), evidence

    def external_between(
        self, environment: str, currency: str, since: datetime, until: datetime
    ) -> Iterator[ExternalRefund]:
        """Refunds made elsewhere that happened then and are no request's."""
        asked = {"env": environment, "currency": currency, "since": since, "until": until}
        yield from map(external_from, self._streamed(sql.EXTERNAL_BETWEEN, **asked))

    def audit_trail(self, environment: str) -> Iterator[Sealed]:
        """The audit trail as it is stored, by number."""
        for row in self._streamed(sql.TRAIL, env=environment):
            yield rows.sealed_from(row)

    def audit_head(self, environment: str) -> Place:
        """Where the trail should end."""
        seq, digest = self._connection.execute(sql.HEAD, {"env": environment}).one()
        return Place(seq, digest)

    def _findings(self, statement: TextClause, environment: str, **parameters: str) -> Iterator[Finding]:
        for row in self._streamed(statement, env=environment, **parameters):
            yield Finding(row["code"], environment, row["object"], str(row["expected"]), str(row["found"]))

    def _streamed(self, statement: TextClause, **parameters: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  bind values
        """The rows through a cursor on the server, so that a long history needs no memory here."""
        with self._connection.execution_options(yield_per=_AT_ONCE).execute(statement, parameters) as result:
            yield from result.scalars()
