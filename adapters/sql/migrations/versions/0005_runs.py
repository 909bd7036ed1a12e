"""Runs: long work that can be left and come back to."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget all runs and their files, which are kept for days only."""
    op.get_bind().exec_driver_sql("DROP TABLE run_files; DROP TABLE runs")
