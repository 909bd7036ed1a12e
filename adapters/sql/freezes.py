"""Freezes in the database: few stand at a time, each set by hand, so whoever looks reads all that stand."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from governor.domain.freezes import Freeze, Word
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
    frozen = _word(row, "frozen")
    if frozen is None:
        raise ValueError("a freeze without anybody who froze")
    return Freeze(
        row["id"], Scope(row["scope"]), row["value"], frozen, _word(row, "proposed"), _word(row, "ended")
    )


def freeze_values(freeze: Freeze) -> dict[str, Any]:
    """A freeze as parameters of ADD_FREEZE or SAVE_FREEZE."""
    values: dict[str, Any] = {"id": freeze.id, "scope": freeze.scope.value, "value": freeze.value}
    for name, word in (("frozen", freeze.frozen), ("proposed", freeze.proposed), ("ended", freeze.ended)):
        for part in ("person", "credential", "reason", "at"):
            values[f"{name}_{part}"] = getattr(word, part, None)
    return values


def _word(row: rows.Row, name: str) -> Word | None:
    at = row[f"{name}_at"]
    if at is None:
        return None
    return Word(row[f"{name}_person"], row[f"{name}_credential"], row[f"{name}_reason"], rows.instant(at))
