"""The foundation: everything the main job needs."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables, as the SQL file beside this one says."""
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # Straight to the driver: the script's percent signs are no placeholders.
    driver = op.get_bind().connection.driver_connection
    if driver is None:
        raise RuntimeError("the migration has no connection")
    driver.execute(script)


def downgrade() -> None:
    """Drop all tables; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE audit, in_flight, operations, outbox, votes, evidence, holds, refund_requests, payments,"
        " counters, limits, credentials, environments; DROP FUNCTION refuse_change()",
    )
