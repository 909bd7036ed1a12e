"""Finding things by the provider's names, in the database (governor.ports.lookups)."""

from __future__ import annotations

from sqlalchemy import Engine, TextClause, text

from adapters.sql.unit_of_work import answered
from governor.ports.lookups import EventMatter

REQUEST_OF_REFUND = text("""
    SELECT id FROM refund_requests WHERE environment = :env AND provider_reference = :reference""")
PAYMENT_OF_CHARGE = text("""
    SELECT payment FROM payments WHERE environment = :env AND charge = :charge""")

MATTER_OF_EVENT = text("""
    SELECT payment, refund FROM provider_events WHERE environment = :env AND id = :event""")


class SqlLookups:
    """`governor.ports.lookups.Lookups` on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")

    def request_of_refund(self, environment: str, refund: str) -> str | None:
        """The id of the refund request that this refund belongs to."""
        return self._one(REQUEST_OF_REFUND, env=environment, reference=refund)

    def payment_of_charge(self, environment: str, charge: str) -> str | None:
        """The payment of a charge."""
        return self._one(PAYMENT_OF_CHARGE, env=environment, charge=charge)

    def matter_of_event(self, environment: str, event: str) -> EventMatter | None:
        """What an event was about; None for one that never came."""
        with answered(), self._reading.connect() as connection:
            row = connection.execute(MATTER_OF_EVENT, {"env": environment, "event": event}).one_or_none()
        return None if row is None else EventMatter(row.payment, row.refund)

    def _one(self, statement: TextClause, **values: str) -> str | None:
        with answered(), self._reading.connect() as connection:
            found: str | None = connection.scalar(statement, values)
            return found
