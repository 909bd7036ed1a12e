"""Who may do what: freezes, keys that are replaced, and what an approver may approve."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget who froze what; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE freezes; DROP INDEX credentials_children;"
        " ALTER TABLE credentials DROP COLUMN approve_up_to, DROP COLUMN rotated_at, DROP COLUMN previous_hash,"
        " DROP COLUMN previous_until, DROP COLUMN last_used_at, DROP COLUMN revoked_reason,"
        " DROP CONSTRAINT credentials_child"
    )
