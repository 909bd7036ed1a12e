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
    INSERT INTO payment_backgrounds AS b (environment, payment, read_at, fraud_warning, customer)
    VALUES (:env, :id, :at, :fraud_warning, CAST(:customer AS jsonb))
    ON CONFLICT (environment, payment) DO UPDATE SET
        read_at = excluded.read_at, fraud_warning = excluded.fraud_warning, customer = excluded.customer
    WHERE b.read_at < excluded.read_at""")


class SqlBackgrounds:
    """Each call is a statement of its own; nothing is locked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    def kept(self, environment: str, payment: str) -> Background | None:
        """The newest look that is kept."""
        with answered(), self._engine.connect() as connection:
            row = connection.scalar(KEPT_BACKGROUND, {"env": environment, "id": payment})
        if row is None:
            return None
        past = _past_from(row["customer"]) if row["customer"] is not None else None
        return Background(rows.instant(row["read_at"]), row["fraud_warning"], past)

    def keep(self, environment: str, payment: str, background: Background) -> None:
        """Keep this look, unless a newer one is kept."""
        past = background.customer
        values = {
            "env": environment,
            "id": payment,
            "at": background.read_at,
            "fraud_warning": background.fraud_warning,
            "customer": None if past is None else json.dumps(_past_row(past)),
        }
        with answered(), self._engine.connect() as connection:
            connection.execute(KEEP_BACKGROUND, values)


def _past_row(past: CustomerPast) -> dict[str, Any]:
    return vars(past) | {"first_at": rows.spelled(past.first_at)}


def _past_from(row: rows.Row) -> CustomerPast:
    return CustomerPast(**{**row, "first_at": rows.moment(row["first_at"])})
