"""A connection whose commit means what it says: recorded where it must be, or an error within seconds.

When the synchronous standby is gone, PostgreSQL lets a COMMIT wait for ever; no timeout of the server applies.
When that wait is called off, COMMIT succeeds with only a warning (RELIABILITY §0, 5). Neither may look like an
acknowledgement, and neither may keep a thread.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, TypeVar

from psycopg import Connection, Error, OperationalError
from psycopg.abc import PQGen
from psycopg.errors import Diagnostic, QueryCanceled
from psycopg.pq import TransactionStatus

Answer = TypeVar("Answer")

COMMIT_SECONDS: Final = 5.0
"""How long a COMMIT may take: as long as anybody waits for the lock that it holds (engine.py, lock_timeout)."""

CALL_OFF_SECONDS: Final = 2.0
"""How long the server may take to hear that nobody waits any more."""


class DurabilityInDoubtError(OperationalError):
    """What was committed may be missing on the standby: it can be seen here and be gone after a failover."""


class HonestConnection(Connection[Any]):
    """A psycopg connection that never says "committed" of what may not be on the standby."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  whatever psycopg makes it with
        super().__init__(*given, **named)
        self._committing = self._warned = False
        self.add_notice_handler(self._heed)

    def commit(self) -> None:
        """Commit what is pending, within COMMIT_SECONDS and CALL_OFF_SECONDS.

        Raises:
            DurabilityInDoubtError: the standby has not confirmed it.
            OperationalError: the server has gone; whether it was committed is not known.
        """
        self._committing, self._warned = True, False
        try:
            super().commit()
        except OperationalError as error:
            if self.info.transaction_status is not TransactionStatus.ACTIVE:
                raise  # an answer, or the end of the connection
            self._call_off()
            raise DurabilityInDoubtError("the commit took too long") from error
        finally:
            self._committing = False
        if self._warned:
            raise DurabilityInDoubtError("the commit may not be on the standby")

    def wait(self, gen: PQGen[Answer], interval: float = 0.1, timeout: float | None = None) -> Answer:
        """What psycopg calls to wait for the server's answer, to a COMMIT as to anything else.

        An exception out of the blue, such as RQ's when a job's time is up, leaves an answer behind that would come to
        the next who uses this connection: it is heard here.
        """
        try:
            return super().wait(gen, interval, COMMIT_SECONDS if self._committing else timeout)
        except Error:
            raise
        except Exception:
            self._hear_out(gen, interval)
            raise

    def _hear_out(self, gen: PQGen[Answer], interval: float) -> None:
        """The rest of an answer for which nobody waits any more; without it the connection is of no use.

        As psycopg does it for Ctrl-C: what strikes again says no more than what has struck, and only the end of the
        process, which is no `Exception`, takes its place.
        """
        if self.info.transaction_status is not TransactionStatus.ACTIVE:
            return  # it has come; what is called off now would be the next statement
        try:
            self.cancel_safe(timeout=CALL_OFF_SECONDS)
            super().wait(gen, interval, CALL_OFF_SECONDS)
        except QueryCanceled:
            return  # heard out
        except BaseException as again:
            self.close()
            if not isinstance(again, Exception):
                raise

    def _call_off(self) -> None:
        """The server must stop waiting, too: a commit that waits keeps its locks."""
        with suppress(Error):
            self.cancel_safe(timeout=CALL_OFF_SECONDS)
        self.close()

    def _heed(self, diagnostic: Diagnostic) -> None:
        """PostgreSQL says both that a wait was called off and that a backend was ended during it with a warning."""
        if self._committing and diagnostic.severity_nonlocalized == "WARNING":
            self._warned = True
