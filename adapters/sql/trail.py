"""The audit trail, read back."""

from __future__ import annotations

from sqlalchemy import Connection, TextClause, text

from adapters.sql import rows
from adapters.sql.execute import records
from governor.domain.audit import Place, Sealed
from governor.ports.records import WHOLE_TRAIL, TrailFilter

_WITHIN = """
    FROM audit a WHERE environment = :env AND seq > :after AND seq <= coalesce(:last, 9223372036854775807)
    AND (cardinality(CAST(:actors AS text[])) = 0 OR actor = ANY(:actors))"""
_CHOSEN_ROWS = f"""
    SELECT to_jsonb(a) {_WITHIN}
    AND (cardinality(CAST(:actions AS text[])) = 0 OR action = ANY(:actions))"""
_OF_OBJECTS = f"{_CHOSEN_ROWS} AND object = ANY(:objects)"
AUDIT = text(f"{_CHOSEN_ROWS} ORDER BY seq LIMIT :at_most")
AUDIT_OF_OBJECTS = text(f"{_OF_OBJECTS} ORDER BY seq LIMIT :at_most")
AUDIT_END = text(f"{_CHOSEN_ROWS} ORDER BY seq DESC LIMIT :at_most")
AUDIT_END_OF_OBJECTS = text(f"{_OF_OBJECTS} ORDER BY seq DESC LIMIT :at_most")
_OF_ACTIONS = """
    SELECT found.row FROM (SELECT DISTINCT unnest(CAST(:actions AS text[]))) AS wanted (action),
        LATERAL (SELECT seq, to_jsonb(a) AS row"""
"""Each action's rows from its own end of the index: what few rows say is found however many say something else."""
_OF_ACTION = f"{_OF_ACTIONS} {_WITHIN} AND a.action = wanted.action"
AUDIT_OF_ACTIONS = text(f"{_OF_ACTION} ORDER BY seq LIMIT :at_most) found ORDER BY found.seq LIMIT :at_most")
AUDIT_END_OF_ACTIONS = text(
    f"{_OF_ACTION} ORDER BY seq DESC LIMIT :at_most) found ORDER BY found.seq DESC LIMIT :at_most"
)
AUDIT_ENDS = text("""
    SELECT audit_seq, audit_hash, coalesce(
        (SELECT seq FROM audit a WHERE a.environment = :env AND a.seq >= e.audit_seq ORDER BY seq DESC LIMIT 1), 0)
    FROM environments e WHERE name = :env""")
"""In one statement, so that both are of one moment, though others write."""


class TrailReads:
    """The part of `governor.ports.reads.Reads` about the audit trail."""

    _connection: Connection

    def audit(
        self, environment: str, *, after: int, at_most: int, chosen: TrailFilter = WHOLE_TRAIL
    ) -> tuple[Sealed, ...]:
        """The audit trail, oldest first, behind row `after`."""
        return self._chosen((AUDIT, AUDIT_OF_ACTIONS, AUDIT_OF_OBJECTS), environment, after, at_most, chosen)

    def audit_end(
        self, environment: str, *, after: int, at_most: int, chosen: TrailFilter = WHOLE_TRAIL
    ) -> tuple[Sealed, ...]:
        """The last `at_most` of the same rows, oldest first."""
        ends = (AUDIT_END, AUDIT_END_OF_ACTIONS, AUDIT_END_OF_OBJECTS)
        return self._chosen(ends, environment, after, at_most, chosen)[::-1]

    def _chosen(
        self,
        statements: tuple[TextClause, TextClause, TextClause],
        environment: str,
        after: int,
        at_most: int,
        chosen: TrailFilter,
    ) -> tuple[Sealed, ...]:
        of_all, of_actions, of_objects = statements
        asked = {
            "env": environment,
            "after": after,
            "last": chosen.last,
            "actors": list(chosen.actors),
            "actions": list(chosen.actions),
            "at_most": at_most,
        }
        if chosen.objects:
            found = records(self._connection, of_objects, **asked, objects=list(chosen.objects))
        else:
            found = records(self._connection, of_actions if chosen.actions else of_all, **asked)
        return tuple(map(rows.sealed_from, found))

    def audit_ends(self, environment: str) -> tuple[Place, int]:
        """Where the environment says that its trail ends, and the number of the newest row, in one look."""
        seq, digest, newest = self._connection.execute(AUDIT_ENDS, {"env": environment}).one()
        return Place(seq, digest), newest
