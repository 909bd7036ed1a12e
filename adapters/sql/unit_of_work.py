"""Opening transactions, and saying honestly when a decision was not recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, event, exc, text

from adapters.sql import write_statements as sql
from adapters.sql.connection import DurabilityInDoubtError
from adapters.sql.reads import SqlReads
from adapters.sql.rules import PolicySeen
from adapters.sql.transaction import SqlTransaction
from governor.checkpoint import checkpoint
from governor.domain.audit import GENESIS
from governor.domain.environments import Environment
from governor.domain.errors import InvariantBroken, Unavailable, Unconfirmed


class SqlUnitOfWork:
    """`governor.ports.store.UnitOfWork` on PostgreSQL.

    `offset` is the development clock's: it moves governor's time, never the database's.
    """

    def __init__(self, engine: Engine, offset: Callable[[], timedelta]) -> None:
        self.engine = engine
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._offset = offset
        self._policy_seen: PolicySeen = {}
        # A new connection may be to a database that was put back in time, where a revision means other limits.
        event.listen(engine, "connect", lambda *_: self._policy_seen.clear())

    @contextmanager
    def environment(self, name: str) -> Iterator[SqlTransaction]:
        """A writing transaction that holds the environment's line; commits on leaving without an exception."""
        with answered(), self.engine.connect() as connection:
            transaction = SqlTransaction(connection, name, self._offset(), self._policy_seen)
            yield transaction
            transaction.flush()
            checkpoint("store.written")
            commit(connection)
            checkpoint("store.committed")

    @contextmanager
    def reading(self) -> Iterator[SqlReads]:
        """Reads without a transaction around them: nothing is locked, nothing is kept open."""
        with answered(), self._reading.connect() as connection:
            yield SqlReads(connection, self._offset())

    def now(self) -> datetime:
        """Database time (UTC), moved by the development clock."""
        return self.real_now() + self._offset()

    def real_now(self) -> datetime:
        """Database time (UTC) as it is: what others have dated is judged by it."""
        with answered(), self._reading.connect() as connection:
            now: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        return now

    def add_environment(self, environment: Environment) -> bool:
        """Found an environment; False when its name is taken."""
        with answered(), self.engine.begin() as connection:
            added = connection.execute(
                sql.ADD_ENVIRONMENT,
                {
                    "env": environment.name,
                    "account": environment.account,
                    "mode": environment.mode.value,
                    "rate_per_second": environment.rate_per_second,
                    "approval_seconds": environment.approval_seconds,
                    "late_limits": environment.late_limits.value,
                    "expiry_notices": environment.expiry_notices,
                    "raises_need_two": environment.raises_need_two,
                    "reasons_required": environment.reasons_required,
                    "prove_above": json.dumps(dict(environment.prove_above)),
                    "type_above": json.dumps(dict(environment.type_above)),
                    "undo_seconds": environment.undo_seconds,
                    "genesis": GENESIS,
                    "now": environment.created_at,
                },
            ).first()
        return added is not None

    def note_use(self, environment: str, credential_id: str) -> None:
        """Its key has opened something in this minute. It waits for no standby: nobody is harmed when it is lost."""
        with answered(), self.engine.begin() as connection:
            connection.execute(text("SET LOCAL synchronous_commit = off"))
            asked = {"env": environment, "id": credential_id, "offset": self._offset()}
            connection.execute(sql.NOTE_USE, asked)

    def mark_in_flight(self, environment: str, key: str, seconds: int) -> bool:
        """Say that this key's first request is being worked on; False when somebody else said so."""
        with answered(), self._reading.connect() as connection:
            marked = connection.execute(
                sql.MARK_IN_FLIGHT, {"env": environment, "key": key, "seconds": seconds}
            ).first()
        return marked is not None

    def clear_in_flight(self, environment: str, key: str) -> None:
        """The key is free again, or names a request now."""
        with answered(), self._reading.connect() as connection:
            connection.execute(sql.CLEAR_IN_FLIGHT, {"env": environment, "key": key})


def commit(connection: Connection) -> None:
    """Commit, and tell an answer that was lost from one that says no."""
    try:
        connection.commit()
    except exc.DBAPIError as error:
        if isinstance(error.orig, DurabilityInDoubtError):
            doubt = "It may not be recorded for good; ask again with the same key."
            raise Unavailable("decision_not_recorded", doubt) from error
        if error.connection_invalidated:
            raise Unconfirmed("decision_not_recorded", "The connection was lost at the commit.") from error
        raise


@contextmanager
def answered() -> Iterator[None]:
    """Turn what the database could not do into what governor answers; it is never "denied"."""
    try:
        yield
    except (exc.IntegrityError, exc.DataError) as error:
        raise InvariantBroken("constraint_violated", type(error.orig).__name__) from error
    except (exc.DBAPIError, exc.TimeoutError) as error:
        raise Unavailable(
            "decision_not_recorded", "The database could not record this; nothing was decided."
        ) from error
