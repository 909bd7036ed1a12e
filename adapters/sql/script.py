"""A migration's SQL file, run as it is written."""

from __future__ import annotations

from pathlib import Path

from alembic import op


def run_script_beside(migration: str) -> None:
    """Run the SQL file beside a migration's module (its `__file__`), on the migration's connection."""
    script = Path(migration).with_suffix(".sql").read_text(encoding="utf-8")
    # Straight to the driver: the script's percent signs are no placeholders.
    driver = op.get_bind().connection.driver_connection
    if driver is None:
        raise RuntimeError("the migration has no connection")
    driver.execute(script)
