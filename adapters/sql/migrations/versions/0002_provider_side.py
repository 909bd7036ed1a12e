"""The provider's side: its events, refunds made elsewhere, and what people resolve."""

from alembic import op

from adapters.sql.script import run_script_beside

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the SQL file beside this one says."""
    run_script_beside(__file__)


def downgrade() -> None:
    """Forget the provider's side; only for an empty installation."""
    op.get_bind().exec_driver_sql(
        "DROP INDEX audit_object; DROP TABLE resolutions, external_refunds, provider_walks, provider_events;"
        " ALTER TABLE environments DROP COLUMN history, DROP COLUMN fenced_at; DROP FUNCTION database_history;"
        " ALTER TABLE refund_requests DROP COLUMN manual;"
        " ALTER TABLE payments ADD COLUMN external bigint NOT NULL DEFAULT 0 CHECK (external >= 0);"
        " ALTER TABLE evidence DROP CONSTRAINT evidence_source_check, DROP CONSTRAINT evidence_check;"
        " ALTER TABLE evidence ADD CONSTRAINT evidence_source_check"
        "   CHECK (source IN ('reply', 'not_sent', 'read', 'webhook')),"
        " ADD CONSTRAINT evidence_check CHECK (outcome <> 'accepted' OR refund IS NOT NULL)"
    )
