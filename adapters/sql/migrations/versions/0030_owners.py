"""Which credentials somebody answers for is found without walking all of them."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """They are found among all."""
    op.get_bind().exec_driver_sql("DROP INDEX credentials_owner")
