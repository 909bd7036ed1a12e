"""For how long an approval in the console can be undone."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Approvals are sent at once."""
    op.get_bind().exec_driver_sql("ALTER TABLE environments DROP COLUMN undo_seconds")
