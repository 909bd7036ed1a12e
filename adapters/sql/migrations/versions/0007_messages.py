"""Messages out: endpoints, what they are told, and how it got there."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget who is told what; only for an empty installation."""
    op.get_bind().exec_driver_sql("DROP TABLE deliveries, messages, tellings, endpoints")
