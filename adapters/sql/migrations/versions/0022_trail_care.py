"""How audit trails are looked after: where each was last anchored, and last verified."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget how they were looked after; only for an empty installation."""
    op.get_bind().exec_driver_sql("DROP TABLE trail_care")
