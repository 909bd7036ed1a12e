"""A past: settled refund requests of the last 300 days, with everything that belongs to them.

One refund is really made. The others are set-based copies of its rows through the real tables, each with its own
id, payment, customer, amount and day, so that `governor fsck` finds them as clean as if they had happened.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from psycopg import Connection
from psycopg.types.json import Jsonb
from sqlalchemy import text

from governor.bench.world import World
from governor.bootstrap import Application
from governor.domain.admission import Ask
from governor.domain.audit import Entry, seal
from governor.domain.errors import InvariantBroken
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.domain.windows import BEGINNING

_CHUNK = 50_000
"""Requests a transaction, so that ten millions need no more memory than these."""

PER_PAYMENT = 5
"""Refunds of one payment. The measured payments get theirs first, then payments of the past theirs."""

_PAST = text("""
    WITH past AS MATERIALIZED (
        SELECT n, 'rr_' || lpad(n::text, 26, '0') AS id, 100 + n % 50 AS amount,
            CASE WHEN n <= :measured * :per_payment THEN 'pi_bench' || lpad((n % :measured)::text, 6, '0')
                ELSE 'pi_past' || n / :per_payment END AS payment,
            CASE WHEN n <= :measured * :per_payment THEN 'cus_' || n % :measured % 500
                ELSE 'cus_past' || n / :per_payment / 4 END AS customer,
            CAST(:now AS timestamptz) - interval '300 days' * (1 - CAST(n AS float8) / :total) AS at
        FROM generate_series(CAST(:first AS bigint), :last) n),
    asked AS (
        INSERT INTO refund_requests SELECT copy.* FROM past p
        CROSS JOIN (SELECT to_jsonb(r) AS made FROM refund_requests r WHERE environment = :env AND id = :made) t
        CROSS JOIN LATERAL jsonb_populate_record(NULL::refund_requests, t.made || jsonb_build_object(
            'id', p.id, 'operation_key', 'past-' || lpad(n::text, 10, '0'), 'hold', 'hold_' || substr(p.id, 4),
            'payment', p.payment, 'customer', p.customer, 'amount', p.amount, 'asked_amount', p.amount, 'moved', p.amount,
            'provider_reference', 're_past' || n, 'created_at', at, 'updated_at', at, 'first_sent_at', at)) copy),
    proven AS (
        INSERT INTO evidence SELECT copy.* FROM past p
        CROSS JOIN (SELECT to_jsonb(e) AS made FROM evidence e WHERE environment = :env AND request = :made) t
        CROSS JOIN LATERAL jsonb_populate_record(NULL::evidence, t.made || jsonb_build_object(
            'request', p.id, 'recorded_at', at, 'refund', t.made -> 'refund' || jsonb_build_object('request_id', p.id,
            'id', 're_past' || n, 'payment', p.payment, 'amount_minor', p.amount))) copy),
    paid AS (
        INSERT INTO payments SELECT copy.* FROM (
            SELECT payment, min(customer) AS customer, sum(amount) AS settled FROM past GROUP BY payment) p
        CROSS JOIN (SELECT to_jsonb(m) AS made FROM payments m WHERE environment = :env AND payment = :paid) t
        CROSS JOIN LATERAL jsonb_populate_record(NULL::payments, t.made || jsonb_build_object(
            'payment', p.payment, 'customer', p.customer, 'settled', p.settled)) copy
        ON CONFLICT (environment, payment) DO UPDATE SET settled = payments.settled + excluded.settled),
    wanted AS (
        SELECT p.id, p.amount, l.id AS limit_id,
            CASE l.scope WHEN 'environment' THEN :env WHEN 'agent' THEN :agent WHEN 'payment' THEN p.payment
                ELSE p.customer END AS value,
            CASE l."window" WHEN 'lifetime' THEN CAST(:beginning AS timestamptz) ELSE date_trunc(l."window", at) END
                AS window_start
        FROM past p CROSS JOIN limits l WHERE l.environment = :env),
    counted AS (
        INSERT INTO counters (environment, limit_id, value, window_start, settled)
        SELECT :env, limit_id, value, window_start, sum(amount) FROM wanted GROUP BY limit_id, value, window_start
        ON CONFLICT (environment, limit_id, value, window_start) DO UPDATE
            SET settled = counters.settled + excluded.settled
        RETURNING id, limit_id, value, window_start)
    INSERT INTO holds (environment, request, counter, amount, settled, state)
    SELECT :env, w.id, c.id, w.amount, w.amount, 'settled' FROM wanted w
    JOIN counted c USING (limit_id, value, window_start)""")

_COPY = b"COPY audit (environment, seq, at, actor, action, object, facts, prev_hash, hash) FROM STDIN"


def make_past(app: Application, world: World, requests: int) -> None:
    """Book `requests` of them. Then VACUUM and ANALYZE, as autovacuum would have done long ago."""
    made = _one_refund(app, world)
    parameters = {
        "env": world.environment,
        "measured": len(world.payments),
        "per_payment": PER_PAYMENT,
        "total": requests,
        "made": made.id,
        "paid": made.payment,
        "agent": made.agent,
        "beginning": BEGINNING,
        "now": app.store.now(),
    }
    for first in range(1, requests + 1, _CHUNK):
        _make_chunk(app, parameters | {"first": first, "last": min(requests, first + _CHUNK - 1)})
    with app.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("SET statement_timeout = 0"))
        connection.execute(text("VACUUM ANALYZE"))
        connection.invalidate()


def _one_refund(app: Application, world: World) -> RefundRequest:
    """The refund whose rows the others copy: asked for, claimed, sent, settled. The provider must agree to it."""
    caller = app.authenticate(world.agent_key)
    ask = Ask(world.payments[0], 99, "usd", None, None, None, None)
    app.request_refund(caller, ask, "the-one-that-is-made", None)
    made = [app.dispatch_refund.send(claim) for claim in app.dispatch_refund.claim(world.environment, 1)]
    if [one.state for one in made] != [State.SUCCEEDED]:
        raise InvariantBroken("no_pattern", f"the pattern of the past was not settled: {made}")
    return made[0]


def _make_chunk(app: Application, parameters: dict[str, Any]) -> None:
    with app.engine.begin() as connection:
        # So many at once are no decision: the ordinary deadline and plans of a statement do not fit.
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SET LOCAL plan_cache_mode = force_custom_plan"))
        connection.execute(text("SET LOCAL work_mem = '64MB'"))
        connection.execute(_PAST, parameters)
        driver = cast("Connection[tuple[object, ...]]", connection.connection.driver_connection)
        _seal_past(driver, parameters["env"], range(parameters["first"], parameters["last"] + 1))


def _seal_past(driver: Connection[tuple[object, ...]], environment: str, numbers: range) -> None:
    """One audit row a request, sealed behind the head of the trail as every other row is."""
    head = driver.execute(
        "SELECT audit_seq, audit_hash, audit_at FROM environments WHERE name = %s FOR UPDATE", [environment]
    ).fetchone()
    if head is None:
        raise LookupError(environment)
    seq, sealed_by, at = cast("tuple[int, str, datetime]", head)
    with driver.cursor().copy(_COPY) as rows:
        for n in numbers:
            seq += 1
            entry = Entry("bench", "refund_request.admitted", f"rr_{n:026d}", {"past": True})
            row = seal(environment, seq, at, entry, sealed_by)
            named = (entry.actor, entry.action, entry.object)
            rows.write_row((environment, seq, at, *named, Jsonb(entry.facts), sealed_by, row.hash))
            sealed_by = row.hash
    driver.execute(
        "UPDATE environments SET audit_seq = %s, audit_hash = %s WHERE name = %s",
        [seq, sealed_by, environment],
    )
