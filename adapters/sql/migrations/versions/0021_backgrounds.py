"""What stands around a payment at the provider."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget it: it is read anew when somebody decides."""
    op.drop_table("payment_backgrounds")
