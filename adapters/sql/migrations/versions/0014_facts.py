"""With what a payment was made."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget it."""
    op.get_bind().exec_driver_sql("ALTER TABLE payments DROP COLUMN method, DROP COLUMN connected")
