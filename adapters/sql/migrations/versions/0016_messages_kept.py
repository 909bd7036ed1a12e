"""What nobody could be told of, and messages that are forgotten when they are old."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Keep every message again."""
    for statement in (
        "DROP TABLE passed_over",
        "DROP INDEX deliveries_message",
        "DROP TRIGGER messages_unchanging ON messages",
        (
            "CREATE TRIGGER messages_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON messages"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        ),
    ):
        op.get_bind().exec_driver_sql(statement)
