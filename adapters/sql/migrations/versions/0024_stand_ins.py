"""Approvers who are away name somebody who approves in their place."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Everybody approves for themselves; only for an empty installation."""
    op.get_bind().exec_driver_sql("DROP TABLE stand_ins; ALTER TABLE votes DROP COLUMN instead_of")
