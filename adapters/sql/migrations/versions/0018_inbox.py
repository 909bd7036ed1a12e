"""What approvers tell one another of holds: who looks, what is snoozed, what is escalated."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget what was told."""
    op.get_bind().exec_driver_sql("DROP TABLE escalations, snoozes, lookers")
