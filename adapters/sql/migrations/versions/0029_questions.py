"""What waits for a requester's answer is found without looking through all that waits."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """They are found among all of a requester's."""
    op.get_bind().exec_driver_sql("DROP INDEX refund_requests_to_be_answered")
