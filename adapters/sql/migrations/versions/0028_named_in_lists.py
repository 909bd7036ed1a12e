"""What one actor has done, and what has not succeeded, is found without walking all of the past."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """They are found among all."""
    op.get_bind().exec_driver_sql("DROP INDEX audit_actor, refund_requests_ended_otherwise")
