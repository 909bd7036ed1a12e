"""Finding things by the provider's names, in the database (governor.ports.lookups)."""

from __future__ import annotations

from sqlalchemy import Engine, TextClause, text

from adapters.sql.unit_of_work import answered

REQUEST_OF_REFUND = text("""
    SELECT id FROM refund_requests WHERE environment = :env AND provider_reference = :reference""")
PAYMENT_OF_CHARGE = text("""
    SELECT payment FROM payments WHERE environment = :env AND charge = :charge""")


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

    def _one(self, statement: TextClause, **values: str) -> str | None:
        with answered(), self._reading.connect() as connection:
            found: str | None = connection.scalar(statement, values)
            return found
