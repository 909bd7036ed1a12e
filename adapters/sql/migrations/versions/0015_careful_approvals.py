"""From which amounts on an approval in the console takes more than a click."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """A click is enough again."""
    op.get_bind().exec_driver_sql("ALTER TABLE environments DROP COLUMN prove_above, DROP COLUMN type_above")
