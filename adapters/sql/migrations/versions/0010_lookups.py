"""Finding requests and payments by the provider's names."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Find them no more."""
    op.get_bind().exec_driver_sql("DROP INDEX refund_requests_reference, payments_charge")
