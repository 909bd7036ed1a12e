"""The foundation: everything the main job needs."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables, as the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Drop all tables; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE audit, in_flight, operations, outbox, votes, evidence, holds, refund_requests, payments,"
        " counters, limits, credentials, environments; DROP FUNCTION refuse_change()",
    )
