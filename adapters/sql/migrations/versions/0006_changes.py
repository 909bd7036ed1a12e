"""Limits that come later than a request: what waits for a proof that it fits."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget what was not proven to fit; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP INDEX refund_requests_unproven; ALTER TABLE refund_requests DROP COLUMN unproven;"
        " ALTER TABLE environments DROP COLUMN late_limits"
    )
