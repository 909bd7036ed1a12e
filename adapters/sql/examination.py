"""What `governor doctor` asks a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Engine, exc, text

from adapters.sql.migrate import revisions
from governor.domain.errors import Unavailable

_SETTINGS = text("""
    SELECT name, setting FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'server_version_num')""")
_COULD_ALTER = text("""
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace
    AND relname IN ('audit', 'escalations', 'evidence', 'hold_versions', 'messages', 'resolutions', 'rules', 'votes')
    AND (pg_has_role(relowner, 'MEMBER') OR has_any_column_privilege(oid, 'UPDATE')
        OR has_table_privilege(oid, CASE relname WHEN 'messages' THEN 'TRUNCATE' ELSE 'DELETE, TRUNCATE' END))
    ORDER BY relname""")
"""Whoever is a member of a table's owner can give himself every right on it, and take its triggers away.
Messages may be deleted: they are forgotten when they are old."""


@dataclass(frozen=True)
class DatabaseFacts:
    """A server as it is now: `version` as 180006 is 18.6; `now` by its clock (UTC); revisions of the schema.

    `role` is ours, and `could_alter` are the append-only tables whose rows it could change or delete.
    """

    version: int
    settings: Mapping[str, str]
    now: datetime
    revision: str | None
    wanted_revision: str | None
    role: str
    could_alter: tuple[str, ...]


class DatabaseExamination:
    """Looks at the server behind an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def facts(self) -> DatabaseFacts:
        """Everything at once.

        Raises:
            Unavailable: `database_unavailable`.
        """
        with self._session() as connection:
            settings = {row.name: str(row.setting) for row in connection.execute(_SETTINGS)}
            revision, wanted = revisions(connection)
            now, role = connection.execute(text("SELECT clock_timestamp(), current_user")).one()
            could_alter = tuple(connection.scalars(_COULD_ALTER))
        version = int(settings["server_version_num"])
        return DatabaseFacts(version, settings, now, revision, wanted, role, could_alter)

    @contextmanager
    def _session(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except (exc.DBAPIError, exc.TimeoutError) as error:
            raise Unavailable("database_unavailable", "The database cannot be reached.") from error
