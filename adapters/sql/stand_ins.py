"""Stand-ins in the database, on one connection."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from governor.domain.environments import Environment
from governor.domain.stand_ins import StandIn

STAND_INS_COUNTING = text("""
    SELECT to_jsonb(s) FROM stand_ins s
    WHERE environment = :env AND ended_at IS NULL AND begins_at <= :now AND ends_at > :now""")
NEWEST_STAND_INS = text(
    "SELECT to_jsonb(s) FROM stand_ins s WHERE environment = :env ORDER BY id DESC LIMIT :at_most"
)
STAND_INS_FROM = text("""
    SELECT to_jsonb(s) FROM stand_ins s WHERE environment = :env AND ended_at IS NULL AND ends_at > :now""")
STAND_IN = text("SELECT to_jsonb(s) FROM stand_ins s WHERE environment = :env AND id = :id")
ADD_STAND_IN = text("""
    INSERT INTO stand_ins (environment, id, away, stand_in, begins_at, ends_at, named_at, credential)
    VALUES (:env, :id, :away, :stand_in, :begins_at, :ends_at, :named_at, :credential)""")
END_STAND_IN = text("""
    UPDATE stand_ins SET ended_at = :ended_at, ended_by = :ended_by WHERE environment = :env AND id = :id""")


class StandInReads:
    """`governor.ports.stand_ins.StandInReads`, and what all of governor asks of them."""

    _connection: Connection

    def stand_ins(self, environment: str, now: datetime) -> tuple[StandIn, ...]:
        """The stand-ins that count at `now`."""
        return tuple(map(_stand_in, records(self._connection, STAND_INS_COUNTING, env=environment, now=now)))

    def newest_stand_ins(self, environment: str, *, at_most: int) -> tuple[StandIn, ...]:
        """Those that were named last, newest first, whether or not they count."""
        return tuple(
            map(_stand_in, records(self._connection, NEWEST_STAND_INS, env=environment, at_most=at_most))
        )

    def stand_ins_from(self, environment: str, now: datetime) -> tuple[StandIn, ...]:
        """Those that count at `now` or will."""
        return tuple(map(_stand_in, records(self._connection, STAND_INS_FROM, env=environment, now=now)))

    def stand_in(self, environment: str, stand_in_id: str) -> StandIn | None:
        """One of them."""
        row = record(self._connection, STAND_IN, env=environment, id=stand_in_id)
        return None if row is None else _stand_in(row)


class StandInWrites(StandInReads):
    """What `governor.ports.stand_ins.StandInTransaction` writes."""

    here: Environment

    def add_stand_in(self, new: StandIn, credential: str) -> None:
        """One more, and the credential that named it."""
        self._connection.execute(ADD_STAND_IN, vars(new) | {"env": self.here.name, "credential": credential})

    def end_stand_in(self, ended: StandIn) -> None:
        """Write when it was ended, and by whom."""
        written = {"id": ended.id, "ended_at": ended.ended_at, "ended_by": ended.ended_by}
        self._connection.execute(END_STAND_IN, written | {"env": self.here.name})


def _stand_in(row: rows.Row) -> StandIn:
    return StandIn(
        id=row["id"],
        away=row["away"],
        stand_in=row["stand_in"],
        begins_at=rows.instant(row["begins_at"]),
        ends_at=rows.instant(row["ends_at"]),
        named_at=rows.instant(row["named_at"]),
        ended_at=rows.moment(row["ended_at"]),
        ended_by=row["ended_by"],
    )
