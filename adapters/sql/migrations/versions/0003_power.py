"""Who may do what: freezes, keys that are replaced, and what an approver may approve."""

from pathlib import Path

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # Straight to the driver: the script's percent signs are no placeholders.
    driver = op.get_bind().connection.driver_connection
    if driver is None:
        raise RuntimeError("the migration has no connection")
    driver.execute(script)


def downgrade() -> None:
    """Forget who froze what; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE freezes; DROP INDEX credentials_children;"
        " ALTER TABLE credentials DROP COLUMN approve_up_to, DROP COLUMN rotated_at, DROP COLUMN previous_hash,"
        " DROP COLUMN previous_until, DROP COLUMN last_used_at, DROP COLUMN revoked_reason,"
        " DROP CONSTRAINT credentials_child"
    )
