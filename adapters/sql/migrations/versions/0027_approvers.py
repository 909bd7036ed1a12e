"""Approvers are found without reading everybody's credentials."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """They are found among all."""
    op.drop_index("credentials_approving", "credentials")
