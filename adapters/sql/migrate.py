"""Bring a database to the schema of this code. Safe to call from several processes at once."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

_LOCK = 4_817_201
"""The advisory lock that lets one migration run at a time; any fixed number of ours."""

_WITH_ROWS = text("""
    SELECT CAST(oid::regclass AS text) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0""")


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def upgrade(database_url: str, revision: str = "head") -> None:
    """Migrate up to `revision`, then ANALYZE what has rows.

    A table that is known to be empty is planned for as one row, for which every index is as good; one of which
    nothing is known is planned for as some pages, and its plans stay right when it grows.
    """
    engine = create_engine(database_url)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
            command.upgrade(_config(connection), revision)
            connection.commit()
            for table in connection.scalars(_WITH_ROWS).all():
                connection.exec_driver_sql(f"ANALYZE {table}")
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _LOCK})
            connection.commit()
    finally:
        engine.dispose()


def downgrade(database_url: str, revision: str = "base") -> None:
    """Migrate down to `revision`; only for an empty installation."""
    engine = create_engine(database_url)
    try:
        with engine.connect() as connection:
            command.downgrade(_config(connection), revision)
            connection.commit()
    finally:
        engine.dispose()


def revisions(connection: Connection) -> tuple[str | None, str | None]:
    """The database's revision and this code's; equal when nothing is to be migrated."""
    current = MigrationContext.configure(connection).get_current_revision()
    return current, ScriptDirectory.from_config(_config()).get_current_head()
