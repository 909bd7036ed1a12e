"""Approval rules, the tallies they read, and which of them fired for each request."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget the rules; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE rules; DROP INDEX refund_requests_refunded, external_refunds_customer;"
        " ALTER TABLE limits DROP COLUMN tally; ALTER TABLE payments DROP COLUMN paid_at;"
        " ALTER TABLE refund_requests DROP COLUMN rules"
    )
