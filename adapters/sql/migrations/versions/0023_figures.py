"""The provider's last words are found from the end."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Look through everything again."""
    op.get_bind().exec_driver_sql("DROP INDEX evidence_replies; DROP INDEX provider_events_webhooks")
