"""People: accounts, memberships, sessions."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget all people; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE sign_in_tries, sign_ins, identities, sessions;"
        " ALTER TABLE credentials DROP CONSTRAINT credentials_membership;"
        " DROP INDEX credentials_person, credentials_one_of_a_role;"
        " ALTER TABLE credentials DROP COLUMN person, DROP COLUMN suspended_at, ALTER COLUMN secret_hash SET NOT NULL;"
        " DROP TABLE people"
    )
