"""A second judge of the books, in SQL of its own: what must be true of any database after any story.

It shares nothing with the code it judges: the table of states is written here by hand, the sums are taken
from the rows, and the twin's list of executed refunds has the last word on what money left.
"""

from typing import Any, LiteralString

import psycopg
from psycopg.rows import dict_row

from tests.servers import libpq

HELD = ["pending_approval", "queued", "dispatching", "unknown", "provider_pending"]
SETTLED = ["succeeded"]
RELEASED = ["failed", "reversed", "rejected", "expired", "canceled"]

WRONG_COUNTERS: LiteralString = """
    SELECT c.limit_id, c.value, c.window_start, c.reserved, c.settled, h.held, h.gone
    FROM counters c CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount) FILTER (WHERE state = 'held'), 0) AS held, coalesce(sum(settled), 0) AS gone
        FROM holds WHERE counter = c.id) h
    WHERE c.reserved <> h.held OR c.settled <> h.gone"""
WRONG_PAYMENTS: LiteralString = """
    SELECT p.payment, p.reserved, p.settled, r.held, r.gone
    FROM payments p CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount) FILTER (WHERE state = ANY(%(held)s)), 0) AS held,
            coalesce(sum(moved) FILTER (WHERE state = ANY(%(settled)s)), 0) AS gone
        FROM refund_requests q WHERE q.environment = p.environment AND q.payment = p.payment) r
    WHERE p.reserved <> r.held OR p.settled <> r.gone"""
WRONG_HOLDS: LiteralString = """
    SELECT r.id, r.state, h.state AS hold FROM refund_requests r
    JOIN holds h ON h.environment = r.environment AND h.request = r.id
    WHERE h.state <> CASE WHEN r.state = ANY(%(held)s) THEN 'held' WHEN r.state = ANY(%(settled)s) THEN 'settled'
        WHEN r.state = ANY(%(released)s) THEN 'released' ELSE 'none at all' END"""
WRONG_EXTERNAL: LiteralString = """
    SELECT x.id, x.status, h.state, h.amount, h.settled FROM external_refunds x
    JOIN holds h ON h.environment = x.environment AND h.request = x.id
    JOIN counters c ON c.id = h.counter JOIN limits l ON l.environment = c.environment AND l.id = c.limit_id
    WHERE h.state <> CASE WHEN x.request IS NOT NULL OR x.status = ANY('{failed,canceled}') THEN 'released'
        WHEN x.status = 'succeeded' THEN 'settled' ELSE 'held' END
    OR h.amount <> CASE l.measure WHEN 'amount' THEN x.amount ELSE 1 END
    OR h.settled <> CASE h.state WHEN 'settled' THEN h.amount ELSE 0 END"""
WRONG_ADMISSIONS: LiteralString = """
    SELECT r.id, line FROM refund_requests r JOIN environments e ON e.name = r.environment AND e.mode = 'enforce'
    CROSS JOIN LATERAL jsonb_array_elements(r.limits) line
    WHERE r.state <> 'denied' AND NOT EXISTS (SELECT 1 FROM audit a WHERE a.environment = e.name
        AND a.action LIKE 'environment.%%' AND a.facts::text LIKE '%%observe%%') AND (line ->> 'settled')::bigint + (line ->> 'reserved')::bigint
        + (line ->> 'requested')::bigint > (line ->> 'cap')::bigint"""
GAPS_IN_THE_TRAIL: LiteralString = """
    SELECT e.name, e.audit_seq, count(a.*) FROM environments e LEFT JOIN audit a ON a.environment = e.name
    GROUP BY e.name, e.audit_seq HAVING count(a.*) <> e.audit_seq"""
CLAIMED: LiteralString = "SELECT claims FROM external_refunds WHERE capacity IN ('held', 'settled')"
REQUESTS: LiteralString = "SELECT id, state, payment, amount, currency, moved, manual FROM refund_requests"


def judge(
    database_url: str,
    writes: list[dict[str, Any]] | None,
    *,
    broken_provider: bool = False,
    forgetful: bool = False,
) -> None:
    """Fail unless every book of a database adds up; the rest as for `judge_in`."""
    with psycopg.connect(libpq(database_url)) as session:
        judge_in(session, writes, broken_provider=broken_provider, forgetful=forgetful)


def judge_in(
    session: psycopg.Connection[Any],
    writes: list[dict[str, Any]] | None,
    *,
    broken_provider: bool = False,
    forgetful: bool = False,
) -> None:
    """Fail unless every book that this session can read adds up.

    `writes` are the twin's; None when the provider was a fake in memory. `broken_provider`: it was told to
    execute more than was asked, so that its amounts cannot match. `forgetful`: the database lost what it had
    acknowledged, so that a refund may name a request that only the provider remembers.
    """
    states = {"held": HELD, "settled": SETTLED, "released": RELEASED}
    with session.cursor(row_factory=dict_row) as cursor:
        for statement in (
            WRONG_COUNTERS,
            WRONG_PAYMENTS,
            WRONG_HOLDS,
            WRONG_EXTERNAL,
            WRONG_ADMISSIONS,
            GAPS_IN_THE_TRAIL,
        ):
            assert cursor.execute(statement, states).fetchall() == [], statement
        requests = {row["id"]: row for row in cursor.execute(REQUESTS)}
        claimed = {row["claims"] for row in cursor.execute(CLAIMED)} if forgetful else set()
    if writes is not None:
        _judge_money(requests, claimed, writes, amounts_match=not broken_provider)


def _judge_money(
    requests: dict[str, dict[str, Any]],
    claimed: set[str],
    writes: list[dict[str, Any]],
    *,
    amounts_match: bool,
) -> None:
    """One intent, one refund; and whatever left is held or settled in our books."""
    ours = {
        str(write["idempotency_key"]).removeprefix("governor-"): write
        for write in writes
        if str(write["idempotency_key"]).startswith("governor-")
    }
    made = [write["idempotency_key"] for write in writes if write["idempotency_key"]]
    assert len(made) == len(set(made)), "the provider executed one key twice"
    assert set(ours) - claimed <= set(requests), "money left for a request that nobody made"
    for request_id, write in ours.items():
        if request_id in claimed:
            continue
        request = requests[request_id]
        assert write["payment"] == request["payment"]
        if amounts_match:
            assert (write["amount"], write["currency"]) == (request["amount"], request["currency"])
        if write["status"] in {"succeeded", "pending"}:
            assert request["state"] in HELD + SETTLED, f"money left, and {request} holds nothing"
    settled = [row for row in requests.values() if row["state"] in SETTLED and not row["manual"]]
    without = [row for row in settled if row["id"] not in ours]
    assert without == [], "settled without a refund at the provider"
