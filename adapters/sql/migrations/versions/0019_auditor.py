"""What auditors ask: decisions by time, and the trail by action."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Drop the indexes; only for an empty installation."""
    op.get_bind().exec_driver_sql("DROP INDEX audit_action, votes_decided")
