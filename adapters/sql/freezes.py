"""Freezes in the database: few stand at a time, each set by hand, so whoever looks reads all that stand."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from adapters.sql.words import first_word_from, word_from, word_values
from governor.domain.freezes import Freeze
from governor.domain.limits import Scope

STANDING = text("SELECT to_jsonb(f) FROM freezes f WHERE environment = :env AND ended_at IS NULL ORDER BY id")
FREEZE = text("SELECT to_jsonb(f) FROM freezes f WHERE environment = :env AND id = :id")
ADD_FREEZE = text("""
    INSERT INTO freezes (environment, id, scope, value, frozen_person, frozen_credential, frozen_reason, frozen_at)
    VALUES (:env, :id, :scope, :value, :frozen_person, :frozen_credential, :frozen_reason, :frozen_at)""")
SAVE_FREEZE = text("""
    UPDATE freezes SET proposed_person = :proposed_person, proposed_credential = :proposed_credential,
        proposed_reason = :proposed_reason, proposed_at = :proposed_at, ended_person = :ended_person,
        ended_credential = :ended_credential, ended_reason = :ended_reason, ended_at = :ended_at
    WHERE environment = :env AND id = :id""")


class FreezeReads:
    """What `governor.ports.reads.Reads` asks about freezes, on one connection."""

    _connection: Connection

    def freezes(self, environment: str) -> tuple[Freeze, ...]:
        """Those that stand, oldest first."""
        return tuple(map(freeze_from, records(self._connection, STANDING, env=environment)))

    def freeze(self, environment: str, freeze_id: str) -> Freeze | None:
        """One freeze, whether it stands or has ended."""
        row = record(self._connection, FREEZE, env=environment, id=freeze_id)
        return freeze_from(row) if row else None


def freeze_from(row: rows.Row) -> Freeze:
    """A row of freezes."""
    return Freeze(
        row["id"],
        Scope(row["scope"]),
        row["value"],
        first_word_from(row, "frozen"),
        word_from(row, "proposed"),
        word_from(row, "ended"),
    )


def freeze_values(freeze: Freeze) -> dict[str, Any]:
    """A freeze as parameters of ADD_FREEZE or SAVE_FREEZE."""
    values: dict[str, Any] = {"id": freeze.id, "scope": freeze.scope.value, "value": freeze.value}
    for name, word in (("frozen", freeze.frozen), ("proposed", freeze.proposed), ("ended", freeze.ended)):
        values |= word_values(name, word)
    return values
