import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.sql import fsck, fsck_statements
from adapters.sql.engine import make_engine
from adapters.sql.fsck import SqlBooks
from governor.domain.errors import NotFound, Unavailable
from governor.domain.trail import Fault
from governor.usecases import check_books
from governor.usecases.check_books import AT_MOST, CheckBooks
from tests.cli.story import ENVIRONMENT, Story
from tests.servers import fresh_database

# finding → the one wrong thing that must be found as it
ERRORS = {
    "counter_reserved": "UPDATE counters SET reserved = reserved + 1 WHERE id = (SELECT min(id) FROM counters)",
    "counter_settled": "UPDATE counters SET settled = settled + 1 WHERE id = (SELECT min(id) FROM counters)",
    "hold_environment": "UPDATE holds SET environment = 'other' WHERE state = 'held'",
    "hold_amount": "UPDATE refund_requests SET amount = amount - 1 WHERE state = 'pending_approval'",
    "hold_state": "UPDATE refund_requests SET state = 'rejected' WHERE state = 'queued'",
    "hold_settled": "UPDATE refund_requests SET moved = moved + 1 WHERE state = 'succeeded'",
    "hold_of_open_request": "DELETE FROM holds WHERE state = 'held'",
    "payment_reserved": "UPDATE payments SET reserved = 1 WHERE payment = (SELECT min(payment) FROM payments)",
    "payment_settled": "UPDATE payments SET settled = 1 WHERE payment = (SELECT min(payment) FROM payments)",
    "request_denial": "UPDATE refund_requests SET denial = 'no_limit' WHERE state = 'queued'",
    "request_due_at": "UPDATE refund_requests SET due_at = NULL WHERE state = 'queued'",
    "request_expiry": "UPDATE refund_requests SET expires_at = NULL WHERE state = 'pending_approval'",
    "request_lease": "UPDATE refund_requests SET state = 'dispatching' WHERE state = 'queued'",
    "request_moved": "UPDATE refund_requests SET moved = 7 WHERE state = 'queued'",
    "request_evidence": "UPDATE refund_requests SET state = 'provider_pending' WHERE state = 'queued'",
    "external_capacity": "UPDATE external_refunds SET status = 'failed'",
    "outbox_request": "UPDATE outbox SET request = 'rr_none'",
    "environment_frozen": "UPDATE environments SET frozen_reason = 'nobody said so'",
    "membership_owner": "INSERT INTO people (id, login, name, created_at) VALUES ('usr_9', 'zoe', 'Zoe', now());"
    " UPDATE credentials SET person = 'usr_9', secret_hash = NULL, kind = 'human'"
    " WHERE id = (SELECT min(id) FROM credentials WHERE role = 'operator')",
    "membership_suspended": "INSERT INTO people (id, login, name, created_at, disabled_at)"
    " SELECT 'usr_9', 'zoe', 'Zoe', now(), now();"
    " UPDATE credentials SET person = 'usr_9', secret_hash = NULL, kind = 'human', owner = 'zoe'"
    " WHERE id = (SELECT min(id) FROM credentials WHERE role = 'operator')",
    "message_delivery": "DELETE FROM deliveries",
    "message_trail": "UPDATE tellings SET seq = 0",
    "message_end": "UPDATE tellings SET seq = seq + 1000",
    "row_time": "UPDATE refund_requests SET updated_at = 'infinity' WHERE state = 'succeeded'",
    "row_unreadable": "UPDATE limits SET time_zone = 'nowhere'",
    "audit_gap": "DELETE FROM audit WHERE seq = 3",
    "audit_hash": "UPDATE audit SET facts = facts || '{\"amount\": 1}' WHERE seq = 3",
    "audit_head": "DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)",
}

# The database's own constraints and triggers stand in the way of most errors: a restored dump may have lost them.
UNPROTECTED = """
    DO $$ DECLARE one record; BEGIN
        FOR one IN SELECT conrelid::regclass AS found_on, conname FROM pg_constraint WHERE contype = 'c'
            AND conrelid IN ('refund_requests'::regclass, 'external_refunds'::regclass)
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.found_on, one.conname); END LOOP;
    END $$;
    ALTER TABLE audit DISABLE TRIGGER USER;
    INSERT INTO environments SELECT (jsonb_populate_record(e, jsonb_build_object(
        'name', 'other', 'audit_seq', 0, 'audit_hash', repeat('0', 64)))).* FROM environments e;
"""


@contextmanager
def _copy(server: EmbeddedPostgres, story: Story, *statements: str) -> Iterator[CheckBooks]:
    """The story's books once more, in a database of their own, with these statements run on them."""
    source = story.app.engine.url.database
    assert source is not None
    story.app.engine.dispose()
    with fresh_database(server, source) as url:
        engine = make_engine(url)
        try:
            with engine.begin() as connection:
                for statement in statements:
                    connection.execute(text(statement.replace(":", r"\:")))
            yield CheckBooks(SqlBooks(engine))
        finally:
            engine.dispose()


def test_the_books_of_a_real_story_are_clean(story: Story) -> None:
    report = story.app.check_books()
    assert report.findings == ()
    assert report.environments == (ENVIRONMENT,)
    assert report.sizes["refund_requests"] == 6
    assert report.sizes["counters"] == 3
    assert report.sizes["holds"] == 12
    assert report.sizes["external_refunds"] == 1
    assert report.sizes["messages"] == report.sizes["deliveries"] == 1
    assert report.sizes["audit_rows"] > 10


def test_a_copy_that_has_only_lost_its_protection_is_clean_too(
    postgres_server: EmbeddedPostgres, story: Story
) -> None:
    with _copy(postgres_server, story, UNPROTECTED) as check:
        assert check().findings == ()


@pytest.mark.parametrize("code", ERRORS)
def test_each_kind_of_error_is_found(postgres_server: EmbeddedPostgres, story: Story, code: str) -> None:
    with _copy(postgres_server, story, UNPROTECTED, ERRORS[code]) as check:
        found = {finding.code: finding for finding in check().findings}
    assert code in found
    assert found[code].expected != found[code].found
    assert found[code].object


def test_every_kind_of_finding_in_the_code_has_its_planted_error() -> None:
    # A row that seals another than the one before it, and is whole, takes somebody who computes hashes: test_trail.
    in_a_trail = {Fault.GAP.value, Fault.HASH.value, Fault.HEAD.value}
    sources = "".join(map(inspect.getsource, (fsck, fsck_statements, check_books)))
    named = re.findall(
        r"""['"]((?:counter|hold|payment|request|external|outbox|environment|membership|message|row|audit)_[a-z_]+)['"]""",
        sources,
    )
    assert set(named) - {"audit_rows", "external_refunds", "environment_not_found"} | in_a_trail == set(
        ERRORS
    )


def test_an_error_is_one_finding_with_both_numbers(postgres_server: EmbeddedPostgres, story: Story) -> None:
    with _copy(postgres_server, story, UNPROTECTED, ERRORS["counter_reserved"]) as check:
        (finding,) = check().findings
    assert finding.environment == ENVIRONMENT
    assert int(finding.found) == int(finding.expected) + 1
    assert finding.object.startswith("counter ")


def test_a_payment_that_has_lost_its_row_is_found(postgres_server: EmbeddedPostgres, story: Story) -> None:
    lost = "DELETE FROM payments WHERE payment = (SELECT payment FROM refund_requests WHERE state = 'queued')"
    with _copy(postgres_server, story, lost) as check:
        found = {(finding.code, finding.expected, finding.found) for finding in check().findings}
    assert found == {("payment_reserved", "2000", "None"), ("payment_settled", "0", "None")}


def test_one_environment_can_be_checked_alone(postgres_server: EmbeddedPostgres, story: Story) -> None:
    with _copy(postgres_server, story, UNPROTECTED, ERRORS["counter_reserved"]) as check:
        assert check("other").findings == ()
        assert check("other").environments == ("other",)
        assert len(check(ENVIRONMENT).findings) == 1
        with pytest.raises(NotFound):
            check("nowhere")


def test_a_thousand_errors_of_a_kind_are_told_by_the_first_ones(
    postgres_server: EmbeddedPostgres, story: Story
) -> None:
    many = (
        "INSERT INTO counters (environment, limit_id, value, window_start, reserved)"
        " SELECT environment, id, 'v' || n, now(), 1 FROM limits, generate_series(1, 500) n"
    )
    with _copy(postgres_server, story, many) as check:
        assert len(check().findings) == AT_MOST


def test_a_database_that_does_not_answer_is_no_verdict(story: Story) -> None:
    nobody = make_engine(
        str(story.app.engine.url.set(port=1, password="x").render_as_string(hide_password=False))
    )
    with pytest.raises(Unavailable):
        CheckBooks(SqlBooks(nobody))()
