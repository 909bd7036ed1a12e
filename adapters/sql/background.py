"""`governor.ports.background.Backgrounds` on PostgreSQL."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Engine, text

from adapters.sql import rows
from adapters.sql.unit_of_work import answered
from governor.domain.background import Background, CustomerPast

KEPT_BACKGROUND = text("""
    SELECT to_jsonb(b) FROM payment_backgrounds b WHERE environment = :env AND payment = :id""")
KEEP_BACKGROUND = text("""
    INSERT INTO payment_backgrounds AS b
        (environment, payment, read_at, fraud_warning, fraud_read_at, customer, customer_read_at)
    VALUES (:env, :id, :read_at, :fraud_warning, :fraud_read_at, CAST(:customer AS jsonb), :customer_read_at)
    ON CONFLICT (environment, payment) DO UPDATE SET
        read_at = greatest(b.read_at, excluded.read_at),
        (fraud_warning, fraud_read_at) = (
            SELECT said, at FROM (VALUES (b.fraud_warning, b.fraud_read_at),
                (excluded.fraud_warning, excluded.fraud_read_at)) AS v (said, at)
            ORDER BY at DESC NULLS LAST LIMIT 1),
        (customer, customer_read_at) = (
            SELECT said, at FROM (VALUES (b.customer, b.customer_read_at),
                (excluded.customer, excluded.customer_read_at)) AS v (said, at)
            ORDER BY at DESC NULLS LAST LIMIT 1)
    RETURNING to_jsonb(b)""")
"""Of each of the two what was read last: a look that could not read it says nothing against it."""


class SqlBackgrounds:
    """Each call is a statement of its own; nothing is locked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    def kept(self, environment: str, payment: str) -> Background | None:
        """What is known of it."""
        with answered(), self._engine.connect() as connection:
            row = connection.scalar(KEPT_BACKGROUND, {"env": environment, "id": payment})
        return None if row is None else _background_from(row)

    def keep(self, environment: str, payment: str, look: Background) -> Background:
        """Keep what this look says beside what others said that it does not know, or that is newer: all of that."""
        past = None if look.customer is None else json.dumps(_past_row(look.customer))
        values = {"env": environment, "id": payment, **vars(look), "customer": past}
        with answered(), self._engine.connect() as connection:
            return _background_from(connection.scalars(KEEP_BACKGROUND, values).one())


def _background_from(row: rows.Row) -> Background:
    times = {name: rows.moment(row[name]) for name in ("fraud_read_at", "customer_read_at")}
    past = None if row["customer"] is None else _past_from(row["customer"])
    return Background(
        rows.instant(row["read_at"]), fraud_warning=row["fraud_warning"], customer=past, **times
    )


def _past_row(past: CustomerPast) -> dict[str, Any]:
    return vars(past) | {"first_at": rows.spelled(past.first_at)}


def _past_from(row: rows.Row) -> CustomerPast:
    return CustomerPast(**{**row, "first_at": rows.moment(row["first_at"])})
