"""Requests are found by what they are about, in the order of their lists."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """The indexes that there were."""
    for statement in (
        "DROP INDEX refund_requests_of_case, refund_requests_of_customer, refund_requests_of_requester",
        "CREATE INDEX refund_requests_requester ON refund_requests (requested_by, environment, created_at)",
        (
            "CREATE INDEX refund_requests_customer ON refund_requests (customer, environment, created_at)"
            " WHERE customer IS NOT NULL"
        ),
    ):
        op.get_bind().exec_driver_sql(statement)
