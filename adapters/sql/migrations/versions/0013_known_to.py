"""Who has seen the secret of a key."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget who has seen which."""
    op.get_bind().exec_driver_sql("ALTER TABLE credentials DROP COLUMN known_to")
