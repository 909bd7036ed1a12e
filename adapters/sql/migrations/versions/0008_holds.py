"""What approvers can do: approve less, return with a question; and what a hold has shown before."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget what holds have shown; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP TABLE hold_versions; DROP INDEX votes_approving;"
        " ALTER TABLE votes DROP COLUMN approves, DROP COLUMN amount, DROP CONSTRAINT votes_pkey,"
        " DROP CONSTRAINT votes_choice_check, ADD PRIMARY KEY (environment, hold, person),"
        " ADD CHECK (choice IN ('approve', 'reject'));"
        " ALTER TABLE refund_requests DROP COLUMN asked_amount"
    )
