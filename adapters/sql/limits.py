"""Limits in the database: what they count, the series of changes that says what they allow, and their counters."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from adapters.sql.words import first_word_from, word_from, word_values
from governor.domain.environments import Environment
from governor.domain.limit_changes import LimitChange, series
from governor.domain.limits import NO_CAP, Limit, Measure, Scope
from governor.domain.windows import WindowKind
from governor.ports.limits import WindowSum
from governor.ports.records import CounterRow

_WITH_CHANGES = """
    WITH present AS (SELECT coalesce(CAST(:now AS timestamptz), clock_timestamp() + CAST(:offset AS interval)) AS at)
    SELECT to_jsonb(l) || jsonb_build_object('at', at, 'changes', (
        SELECT jsonb_agg(to_jsonb(c)) FROM limit_changes c
        WHERE c.environment = l.environment AND c.limit_id = l.id AND (c.until IS NULL OR c.until > at)
        AND c.effective_at >= coalesce((SELECT max(f.effective_at) FROM limit_changes f
            WHERE f.environment = l.environment AND f.limit_id = l.id AND f.until IS NULL AND f.effective_at <= at
            AND f.decided_at IS NOT NULL AND f.withdrawn_at IS NULL AND NOT f.archives), '-infinity')))
    FROM limits l, present"""
"""With what counts at `at` or later; `series` says which of these does. Each limit has a change for good, its first."""
LIMIT = text(f"{_WITH_CHANGES} WHERE environment = :env AND id = :id AND NOT tally")
LIMITS = text(
    f"{_WITH_CHANGES} WHERE environment = :env AND (:archived OR NOT archived) AND NOT tally ORDER BY id"
)
CHARGED = text(f"{_WITH_CHANGES} WHERE environment = :env AND NOT archived ORDER BY id")
"""What an admission charges: limits, and the tallies that only rules read."""
LIMIT_CHANGES = text("""
    SELECT to_jsonb(c) FROM limit_changes c WHERE environment = :env AND limit_id = :id ORDER BY proposed_at, id""")
_BOUND_THEN = """
    EXISTS (SELECT FROM limit_changes d WHERE d.environment = l.environment AND d.limit_id = l.id
        AND NOT d.archives AND d.until IS NULL AND d.effective_at <= :at AND d.decided_at <= :at)
    AND NOT EXISTS (SELECT FROM limit_changes d WHERE d.environment = l.environment AND d.limit_id = l.id
        AND d.archives AND d.decided_at <= :at AND (d.withdrawn_at IS NULL OR d.withdrawn_at > :at))"""
"""What was said for good counts from then on, until the limit is archived: nobody withdraws what has begun so."""
LIMITS_THEN = text(f"""{_WITH_CHANGES} WHERE environment = :env AND NOT tally AND {_BOUND_THEN}
    AND id > coalesce(CAST(:after AS text), '') ORDER BY id LIMIT :at_most""")
LIMIT_CHANGES_UNTIL = text("""
    SELECT to_jsonb(c) FROM limit_changes c WHERE environment = :env AND limit_id = ANY(:limits) AND decided_at <= :at
    ORDER BY proposed_at, id""")
_OPEN = """
    SELECT to_jsonb(c) FROM limit_changes c JOIN limits l ON l.environment = c.environment AND l.id = c.limit_id
    WHERE c.environment = :env AND NOT l.archived AND c.withdrawn_at IS NULL
    AND (c.decided_at IS NULL OR c.effective_at > :now OR c.until > :now)"""
OPEN_LIMIT_CHANGES = text(f"{_OPEN} ORDER BY c.proposed_at, c.id")
OPEN_CHANGES_OF_LIMIT = text(f"{_OPEN} AND c.limit_id = :id ORDER BY c.proposed_at, c.id")
COUNTERS = text("""
    SELECT to_jsonb(c) FROM counters c WHERE environment = :env AND limit_id = :id
    ORDER BY window_start DESC, value LIMIT :at_most""")
WINDOW_SUMS = text("""
    SELECT jsonb_build_object('window_start', window_start, 'counters', count(*), 'settled', sum(settled),
        'reserved', sum(reserved), 'most', max(settled + reserved))
    FROM counters c WHERE environment = :env AND limit_id = :id AND (CAST(:value AS text) IS NULL OR value = :value)
    GROUP BY window_start ORDER BY window_start DESC LIMIT :at_most""")
ADD_LIMIT = text("""
    INSERT INTO limits (environment, id, scope, value, measure, currency, "window", window_days, time_zone,
        revision, archived, tally, created_at, updated_at)
    VALUES (:env, :id, :scope, :value, :measure, :currency, :window, :window_days, :time_zone,
        :revision, :archived, :tally, :now, :now)""")
SAVE_LIMIT = text("""
    UPDATE limits SET revision = :revision, archived = :archived, updated_at = :now
    WHERE environment = :env AND id = :id""")
LIMITS_CHANGED = text("UPDATE environments SET limits_revision = limits_revision + 1 WHERE name = :env")
ADD_LIMIT_CHANGE = text("""
    INSERT INTO limit_changes (environment, limit_id, id, cap, approval_above, archives, raises, effective_at, until,
        proposed_person, proposed_credential, proposed_reason, proposed_at, decided_at)
    VALUES (:env, :limit, :id, :cap, :approval_above, :archives, :raises, :effective_at, :until,
        :proposed_person, :proposed_credential, :proposed_reason, :proposed_at, :decided_at)""")
SAVE_LIMIT_CHANGE = text("""
    UPDATE limit_changes SET effective_at = :effective_at, decided_at = :decided_at,
        confirmed_person = :confirmed_person, confirmed_credential = :confirmed_credential,
        confirmed_reason = :confirmed_reason, confirmed_at = :confirmed_at, withdrawn_person = :withdrawn_person,
        withdrawn_credential = :withdrawn_credential, withdrawn_reason = :withdrawn_reason, withdrawn_at = :withdrawn_at
    WHERE environment = :env AND limit_id = :limit AND id = :id""")


class LimitReads:
    """`governor.ports.limits.LimitReads`, on one connection."""

    _connection: Connection
    _offset: timedelta
    now: datetime | None = None
    """The moment at which limits are read; None: the database's present."""

    def limit(self, environment: str, limit_id: str) -> Limit | None:
        """One limit, archived or not."""
        row = record(self._connection, LIMIT, env=environment, id=limit_id, **self._moment())
        return limit_from(row) if row else None

    def limits(self, environment: str, *, archived: bool = False) -> tuple[Limit, ...]:
        """All limits, oldest first; the archived ones only when asked for."""
        asked = {"env": environment, "archived": archived, **self._moment()}
        return tuple(map(limit_from, records(self._connection, LIMITS, **asked)))

    def charged_limits(self, environment: str) -> tuple[Limit, ...]:
        """Limits and tallies that are not archived, oldest first."""
        return tuple(map(limit_from, records(self._connection, CHARGED, env=environment, **self._moment())))

    def _moment(self) -> dict[str, Any]:
        return {"now": self.now, "offset": self._offset}

    def limit_changes(self, environment: str, limit_id: str) -> tuple[LimitChange, ...]:
        """Everything that was ever said of what a limit allows, oldest first."""
        found = records(self._connection, LIMIT_CHANGES, env=environment, id=limit_id)
        return tuple(map(_change_from, found))

    def limits_then(
        self, environment: str, at: datetime, *, after: str | None, at_most: int
    ) -> tuple[Limit, ...]:
        """The limits that bound at a moment, oldest first, behind the one with the id `after`."""
        asked = {"env": environment, "at": at, "after": after, "at_most": at_most, **self._moment()}
        return tuple(map(limit_from, records(self._connection, LIMITS_THEN, **asked)))

    def limit_changes_until(
        self, environment: str, at: datetime, limits: Collection[str]
    ) -> tuple[LimitChange, ...]:
        """All that was decided until a moment of these limits, oldest first."""
        asked = {"env": environment, "at": at, "limits": list(limits)}
        found = records(self._connection, LIMIT_CHANGES_UNTIL, **asked)
        return tuple(map(_change_from, found))

    def open_limit_changes(
        self, environment: str, now: datetime, limit_id: str | None = None
    ) -> tuple[LimitChange, ...]:
        """What waits for a second person, for its time or for its end at `now`, oldest first."""
        asked = {"env": environment, "now": now}
        if limit_id is None:
            found = records(self._connection, OPEN_LIMIT_CHANGES, **asked)
        else:
            found = records(self._connection, OPEN_CHANGES_OF_LIMIT, **asked, id=limit_id)
        return tuple(map(_change_from, found))

    def counters(self, environment: str, limit_id: str, *, at_most: int) -> tuple[CounterRow, ...]:
        """The counters of a limit, newest window first."""
        found = records(self._connection, COUNTERS, env=environment, id=limit_id, at_most=at_most)
        return tuple(
            CounterRow(row["value"], rows.instant(row["window_start"]), row["settled"], row["reserved"])
            for row in found
        )

    def window_sums(
        self, environment: str, limit_id: str, value: str | None, *, at_most: int
    ) -> tuple[WindowSum, ...]:
        """The newest windows of a limit, newest first: of one scope value, or of all together."""
        asked = {"env": environment, "id": limit_id, "value": value, "at_most": at_most}
        found = records(self._connection, WINDOW_SUMS, **asked)
        return tuple(WindowSum(**row | {"window_start": rows.instant(row["window_start"])}) for row in found)


class LimitWrites(LimitReads):
    """The part of `governor.ports.limits.LimitWrites` that keeps limits and what was said of them."""

    here: Environment
    now: datetime

    def add_limit(self, limit: Limit) -> None:
        """A new limit; what it allows is its first change."""
        values = vars(limit) | {"scope": limit.scope.value, "measure": limit.measure.value}
        values |= {"window": limit.window.value}
        for said in ("cap", "approval_above", "change", "steps"):
            del values[said]
        self._said(ADD_LIMIT, **values, now=self.now)

    def save_limit(self, limit: Limit) -> None:
        """A limit's new revision, or its archiving."""
        standing = {"id": limit.id, "revision": limit.revision, "archived": limit.archived}
        self._said(SAVE_LIMIT, **standing, now=self.now)

    def add_limit_change(self, change: LimitChange) -> None:
        """What somebody says that a limit shall allow."""
        names = (
            "id",
            "limit",
            "cap",
            "approval_above",
            "archives",
            "raises",
            "effective_at",
            "until",
            "decided_at",
        )
        values = {name: getattr(change, name) for name in names}
        self._run(ADD_LIMIT_CHANGE, **values, **word_values("proposed", change.proposed))

    def save_limit_change(self, change: LimitChange) -> None:
        """Who has confirmed or withdrawn it, and when it begins since."""
        values = {name: getattr(change, name) for name in ("id", "limit", "effective_at", "decided_at")}
        words = word_values("confirmed", change.confirmed) | word_values("withdrawn", change.withdrawn)
        self._run(SAVE_LIMIT_CHANGE, **values, **words)

    def _said(self, statement: Any, **parameters: Any) -> None:  # noqa: ANN401  a TextClause and its bind values
        self._run(statement, **parameters)
        self._run(LIMITS_CHANGED)

    def _run(self, statement: Any, **parameters: Any) -> None:  # noqa: ANN401  a TextClause and its bind values
        self._connection.execute(statement, {"env": self.here.name, **parameters})


def limit_from(row: rows.Row) -> Limit:
    """A row of limits with its changes, at the moment at which it was read."""
    at = rows.instant(row["at"])
    steps = () if row["tally"] else series(map(_change_from, row["changes"]), at)
    return Limit(
        id=row["id"],
        scope=Scope(row["scope"]),
        value=row["value"],
        measure=Measure(row["measure"]),
        currency=row["currency"],
        window=WindowKind(row["window"]),
        window_days=row["window_days"],
        time_zone=row["time_zone"],
        cap=steps[0].cap if steps else NO_CAP,
        approval_above=steps[0].approval_above if steps else None,
        revision=row["revision"],
        archived=row["archived"],
        tally=row["tally"],
        steps=steps,
    ).at(at)


def _change_from(row: rows.Row) -> LimitChange:
    """A row of limit_changes."""
    return LimitChange(
        id=row["id"],
        limit=row["limit_id"],
        cap=row["cap"],
        approval_above=row["approval_above"],
        archives=row["archives"],
        raises=row["raises"],
        effective_at=rows.instant(row["effective_at"]),
        until=rows.moment(row["until"]),
        proposed=first_word_from(row, "proposed"),
        decided_at=rows.moment(row["decided_at"]),
        confirmed=word_from(row, "confirmed"),
        withdrawn=word_from(row, "withdrawn"),
    )
