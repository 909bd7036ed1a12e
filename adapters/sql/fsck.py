"""The books in one read-only snapshot: what `governor fsck` looks at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, TextClause, exc, text

from adapters.sql import fsck_statements as sql
from adapters.sql import rows
from adapters.sql.execute import record, records
from adapters.sql.external import external_from
from adapters.sql.limits import CHARGED, limit_from
from adapters.sql.read_statements import ENVIRONMENT
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


Value = TypeVar("Value")


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
        return tuple(self._connection.execute(sql.ENVIRONMENTS).scalars())

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

    def unreadable(self, environment: str) -> Iterator[Finding]:
        """Times that are none, in whatever row, and settings that cannot be read."""
        for statement in self._connection.execute(sql.TIMES).scalars():
            yield from self._findings(text(statement), environment)
        row = record(self._connection, ENVIRONMENT, name=environment)
        found = self._read(environment, environment, lambda: rows.environment_from(row or {}))
        if isinstance(found, Finding):
            yield found

    def limits(self, environment: str) -> Iterator[Limit | Finding]:
        """The limits and tallies that are not archived, each with its window: a zone may be none."""
        at_present = {"now": None, "offset": timedelta(0)}
        for row in records(self._connection, CHARGED, env=environment, **at_present):
            yield self._read(environment, row["id"], partial(_charged_limit_from, row))

    def open_requests(self, environment: str, states: frozenset[State]) -> Iterator[OpenRequest | Finding]:
        """Every request in one of these states, with its holds."""
        for row in self._streamed(sql.OPEN_REQUESTS, env=environment, states=sorted(states)):
            yield self._read(environment, row["request"]["id"], partial(_open_request_from, row))

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

    def _read(self, environment: str, name: str, read: Callable[[], Value]) -> Value | Finding:
        """What `read` makes of the row of that name; a finding when it is nothing that was ever written."""
        try:
            return read()
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            found = f"{type(error).__name__}: {error}"
            return Finding("row_unreadable", environment, name, "what governor writes", found)

    def _findings(self, statement: TextClause, environment: str, **parameters: str) -> Iterator[Finding]:
        for row in self._streamed(statement, env=environment, **parameters):
            yield Finding(row["code"], environment, row["object"], str(row["expected"]), str(row["found"]))

    def _streamed(self, statement: TextClause, **parameters: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  bind values
        """The rows through a cursor on the server, so that a long history needs no memory here."""
        in_parts = {"yield_per": _AT_ONCE}
        with self._connection.execute(statement, parameters, execution_options=in_parts) as result:
            yield from result.scalars()


def _charged_limit_from(row: rows.Row) -> Limit:
    """A limit that has a window at present: its zone is one."""
    limit = limit_from(row)
    limit.span_at(rows.instant(row["at"]))
    return limit


def _open_request_from(row: rows.Row) -> OpenRequest:
    """A request with its holds, made at a time around which there are windows."""
    request = rows.request_from(row["request"])
    if not MINYEAR + 10 < request.created_at.year < MAXYEAR:
        raise OverflowError(f"created at {request.created_at}")
    return OpenRequest(request, {(limit, value): amount for limit, value, amount in row["holds"]})
