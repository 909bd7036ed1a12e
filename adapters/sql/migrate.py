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


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def upgrade(database_url: str, revision: str = "head") -> None:
    """Migrate up to `revision`, then ANALYZE: plans cached on empty tables stay bad (PERFORMANCE.md)."""
    engine = create_engine(database_url)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
            command.upgrade(_config(connection), revision)
            connection.commit()
            connection.execute(text("ANALYZE"))
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
