"""Refunds made elsewhere in the database: rows of external_refunds, whose holds carry the refund's own id."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import records
from adapters.sql.write_statements import CARRY_HOLDS
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import Capacity
from governor.domain.requests import RefundRequest

REQUESTS_SEEN = text("""
    SELECT to_jsonb(r) FROM refund_requests r WHERE environment = :env AND payment = :payment
    UNION ALL
    SELECT to_jsonb(r) FROM refund_requests r WHERE environment = :env AND id = ANY(:ids)""")
EXTERNAL = text("SELECT to_jsonb(x) FROM external_refunds x WHERE environment = :env AND id = ANY(:ids)")
EXTERNALS = text("""
    SELECT to_jsonb(x) FROM external_refunds x
    WHERE environment = :env AND (id > :after OR :after IS NULL) ORDER BY id LIMIT :at_most""")
EXTERNAL_EXPOSED = text("""
    SELECT to_jsonb(x) FROM external_refunds x WHERE environment = :env
    AND (capacity = 'held' OR (capacity = 'settled' AND happened_at >= :since)) ORDER BY id""")
SAVE_EXTERNAL = text("""
    INSERT INTO external_refunds
    SELECT * FROM jsonb_populate_record(NULL::external_refunds, CAST(:row AS jsonb))
    ON CONFLICT (environment, id) DO UPDATE SET status = excluded.status, capacity = excluded.capacity,
        request = excluded.request, updated_at = excluded.updated_at""")
CARRY_EXTERNAL = text(f"{CARRY_HOLDS} SELECT 1")


class ExternalReads:
    """What `governor.ports.reads.Reads` asks about refunds made elsewhere, on one connection."""

    _connection: Connection

    def requests_seen(
        self, environment: str, payment: str | None, named: Collection[str]
    ) -> tuple[RefundRequest, ...]:
        """All requests of a payment, and those of these ids whatever they are about."""
        found = records(self._connection, REQUESTS_SEEN, env=environment, payment=payment, ids=sorted(named))
        return tuple({row["id"]: rows.request_from(row) for row in found}.values())

    def external_refunds(self, environment: str, ids: Collection[str]) -> tuple[ExternalRefund, ...]:
        """What is kept of these refunds made elsewhere."""
        return tuple(
            map(external_from, records(self._connection, EXTERNAL, env=environment, ids=sorted(ids)))
        )

    def list_external_refunds(
        self, environment: str, *, after: str | None, at_most: int
    ) -> tuple[ExternalRefund, ...]:
        """Refunds made elsewhere, by id; `after` is the id of the last one already seen."""
        found = records(self._connection, EXTERNALS, env=environment, after=after, at_most=at_most)
        return tuple(map(external_from, found))


def external_since(connection: Connection, environment: str, since: datetime) -> tuple[ExternalRefund, ...]:
    """Refunds made elsewhere that are not final yet, and those since then that have succeeded."""
    return tuple(map(external_from, records(connection, EXTERNAL_EXPOSED, env=environment, since=since)))


def save_external(connection: Connection, environment: str, refund: ExternalRefund) -> None:
    """Write a refund made elsewhere as it is now known."""
    connection.execute(SAVE_EXTERNAL, {"row": json.dumps(_row(refund) | {"environment": environment})})


def carry_external(connection: Connection, environment: str, refund: ExternalRefund) -> None:
    """Carry its holds to what its status makes of them, each in the counter where it was made (invariant 9)."""
    moved = refund.amount_minor if refund.capacity is Capacity.SETTLED else 0
    asked = {"env": environment, "request": refund.id, "state": refund.capacity.value}
    connection.execute(CARRY_EXTERNAL, asked | {"amount": refund.amount_minor, "moved": moved})


_TIMES = ("happened_at", "seen_at", "updated_at")


def _row(refund: ExternalRefund) -> dict[str, Any]:
    row = dict(vars(refund))
    row["amount"] = row.pop("amount_minor")
    row["capacity"] = refund.capacity.value
    return row | {name: row[name].isoformat() for name in _TIMES}


def external_from(row: rows.Row) -> ExternalRefund:
    """A row of external_refunds."""
    return ExternalRefund(
        id=row["id"],
        payment=row["payment"],
        amount_minor=row["amount"],
        currency=row["currency"],
        customer=row["customer"],
        status=row["status"],
        claims=row["claims"],
        happened_at=rows.instant(row["happened_at"]),
        seen_at=rows.instant(row["seen_at"]),
        updated_at=rows.instant(row["updated_at"]),
        request=row["request"],
    )
