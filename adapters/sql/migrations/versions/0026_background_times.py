"""Each part of what stands around a payment says when it was read."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """One time for both again; what was read stays."""
    for column in ("fraud_read_at", "customer_read_at"):
        op.drop_column("payment_backgrounds", column)
