"""Processes say that they live."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Whoever runs says so again."""
    op.get_bind().exec_driver_sql("DROP TABLE processes")
