"""What approvers are shown of a hold: that its time runs out, and who asks how often."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget what was told; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "ALTER TABLE refund_requests DROP COLUMN expiring_at; ALTER TABLE environments DROP COLUMN expiry_notices;"
        " DROP INDEX refund_requests_requester, refund_requests_customer, votes_person"
    )
