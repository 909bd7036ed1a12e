"""What a limit allows is a series of changes; raises that need two people."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget what was said of limits; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE limit_changes; ALTER TABLE limits ADD COLUMN cap bigint NOT NULL CHECK (cap >= 0),"
        " ADD COLUMN approval_above bigint CHECK (approval_above >= 0);"
        " ALTER TABLE environments DROP COLUMN raises_need_two, DROP COLUMN reasons_required"
    )
