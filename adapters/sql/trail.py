"""The audit trail, read back."""

from __future__ import annotations

from sqlalchemy import Connection, TextClause, text

from adapters.sql import rows
from adapters.sql.execute import records
from governor.domain.audit import Place, Sealed
from governor.ports.records import WHOLE_TRAIL, TrailFilter

_BETWEEN = "environment = :env AND seq > :after AND seq <= coalesce(:last, 9223372036854775807)"
_OF_THESE = "(cardinality(CAST(:actions AS text[])) = 0 OR action = ANY(:actions))"
_KEYS = """
    SELECT unnest(CAST(:actors AS text[])) AS actor
    UNION SELECT keys.id FROM unnest(CAST(:actors AS text[])) AS who (name) CROSS JOIN LATERAL (
        SELECT id FROM credentials WHERE environment = :env AND owner = who.name OFFSET 0) keys"""
"""Who is meant: credentials by their ids, and by whoever answers for them; that never changes. Asked for one name after
the other, the index of owners is the nearest way, whatever is known of the table."""
_WANTED_OBJECTS = "WITH wanted AS (SELECT DISTINCT unnest(CAST(:objects AS text[])) AS object)"
_WANTED_ACTIONS = "WITH wanted AS (SELECT DISTINCT unnest(CAST(:actions AS text[])) AS action)"
_WANTED_DEEDS = f"""
    WITH RECURSIVE did (actor, action) AS (
        SELECT n.actor, (SELECT min(action) FROM audit a WHERE environment = :env AND a.actor = n.actor)
        FROM ({_KEYS}) AS n (actor)
        UNION ALL SELECT d.actor, (SELECT min(action) FROM audit a
            WHERE environment = :env AND a.actor = d.actor AND a.action > d.action)
        FROM did d WHERE d.action IS NOT NULL),
    wanted AS (SELECT * FROM did WHERE action IS NOT NULL AND {_OF_THESE})"""  # noqa: S608  a constant
"""Each kind of thing that somebody ever did: few, of which the index shows one behind the other."""


def _each(wanted: str, is_it: str, way: str) -> TextClause:
    """Of each that is wanted the rows from its own end of an index: few are found however many say something else."""
    return text(f"""
    {wanted} SELECT to_jsonb(found.a) FROM wanted, LATERAL (
        SELECT a, seq FROM audit a WHERE {_BETWEEN} AND {is_it} ORDER BY seq {way} LIMIT :at_most) found
    ORDER BY found.seq {way} LIMIT :at_most""")  # noqa: S608  words of this file


_IS_OBJECT = f"""a.object = wanted.object AND {_OF_THESE}
        AND (cardinality(CAST(:actors AS text[])) = 0 OR actor IN ({_KEYS}))"""
_IS_ACTION = "a.action = wanted.action"
_IS_DEED = f"a.actor = wanted.actor AND {_IS_ACTION}"
AUDIT = text(f"SELECT to_jsonb(a) FROM audit a WHERE {_BETWEEN} ORDER BY seq LIMIT :at_most")  # noqa: S608  a constant
AUDIT_OF_OBJECTS = _each(_WANTED_OBJECTS, _IS_OBJECT, "")
AUDIT_OF_ACTIONS = _each(_WANTED_ACTIONS, _IS_ACTION, "")
AUDIT_OF_ACTORS = _each(_WANTED_DEEDS, _IS_DEED, "")
AUDIT_END = text(f"SELECT to_jsonb(a) FROM audit a WHERE {_BETWEEN} ORDER BY seq DESC LIMIT :at_most")  # noqa: S608  a constant
AUDIT_END_OF_OBJECTS = _each(_WANTED_OBJECTS, _IS_OBJECT, "DESC")
AUDIT_END_OF_ACTIONS = _each(_WANTED_ACTIONS, _IS_ACTION, "DESC")
AUDIT_END_OF_ACTORS = _each(_WANTED_DEEDS, _IS_DEED, "DESC")
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
        ways = (AUDIT, AUDIT_OF_ACTIONS, AUDIT_OF_ACTORS, AUDIT_OF_OBJECTS)
        return self._chosen(_narrowest(chosen, *ways), environment, after, at_most, chosen)

    def audit_end(
        self, environment: str, *, after: int, at_most: int, chosen: TrailFilter = WHOLE_TRAIL
    ) -> tuple[Sealed, ...]:
        """The last `at_most` of the same rows, oldest first."""
        ways = (AUDIT_END, AUDIT_END_OF_ACTIONS, AUDIT_END_OF_ACTORS, AUDIT_END_OF_OBJECTS)
        return self._chosen(_narrowest(chosen, *ways), environment, after, at_most, chosen)[::-1]

    def _chosen(
        self, statement: TextClause, environment: str, after: int, at_most: int, chosen: TrailFilter
    ) -> tuple[Sealed, ...]:
        named = {name: list(getattr(chosen, name)) for name in ("objects", "actors", "actions")}
        asked = {"env": environment, "after": after, "last": chosen.last, "at_most": at_most}
        return tuple(map(rows.sealed_from, records(self._connection, statement, **asked, **named)))

    def audit_ends(self, environment: str) -> tuple[Place, int] | None:
        """Where the environment says that its trail ends, and the number of the newest row, in one look."""
        found = self._connection.execute(AUDIT_ENDS, {"env": environment}).one_or_none()
        return None if found is None else (Place(found[0], found[1]), found[2])


def _narrowest(
    chosen: TrailFilter,
    of_all: TextClause,
    of_actions: TextClause,
    of_actors: TextClause,
    of_objects: TextClause,
) -> TextClause:
    """The statement that walks least of the trail to find what is chosen."""
    if chosen.objects:
        return of_objects
    if chosen.actors:
        return of_actors
    return of_actions if chosen.actions else of_all
