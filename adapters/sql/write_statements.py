"""The writing statements: each handles a whole batch, so that many decisions cost one round trip."""

from sqlalchemy import text

from adapters.sql.read_statements import NOT_FROZEN

LINE = text("""
    WITH line AS MATERIALIZED (SELECT * FROM environments WHERE name = :env FOR NO KEY UPDATE)
    SELECT to_jsonb(line) || jsonb_build_object('now', clock_timestamp()) FROM line""")
"""Join the environment's line. The time is taken after the lock was got, so it never runs backwards in it."""

FLUSH = text("""
    WITH requests AS (
        INSERT INTO refund_requests
        SELECT * FROM jsonb_populate_recordset(NULL::refund_requests, CAST(:requests AS jsonb))),
    facts AS (
        INSERT INTO payments SELECT * FROM jsonb_populate_recordset(NULL::payments, CAST(:payments AS jsonb))
        ON CONFLICT (environment, payment) DO UPDATE SET
            account = excluded.account, currency = excluded.currency, captured = excluded.captured,
            customer = excluded.customer, livemode = excluded.livemode, dispute = excluded.dispute,
            refundable_status = excluded.refundable_status, charge = excluded.charge,
            refunds = excluded.refunds, read_at = excluded.read_at, paid_at = excluded.paid_at,
            method = excluded.method, connected = excluded.connected,
            reserved = payments.reserved + excluded.reserved, settled = payments.settled + excluded.settled),
    rung AS (
        INSERT INTO outbox (environment, request, due_at, created_at)
        SELECT :env, o.request, o.due_at, :now
        FROM jsonb_to_recordset(CAST(:outbox AS jsonb)) AS o(request text, due_at timestamptz)),
    trail AS (
        INSERT INTO audit SELECT * FROM jsonb_populate_recordset(NULL::audit, CAST(:audit AS jsonb))),
    head AS (
        UPDATE environments SET audit_seq = :seq, audit_hash = :hash, audit_at = :at
        WHERE name = :env AND audit_seq < :seq),
    wanted AS (
        SELECT * FROM jsonb_to_recordset(CAST(:counters AS jsonb))
            AS t(n int, limit_id text, value text, window_start timestamptz, reserved bigint, settled bigint)),
    counted AS (
        INSERT INTO counters (environment, limit_id, value, window_start, reserved, settled)
        SELECT :env, limit_id, value, window_start, reserved, settled FROM wanted
        ORDER BY limit_id, value, window_start
        ON CONFLICT (environment, limit_id, value, window_start)
            DO UPDATE SET reserved = counters.reserved + excluded.reserved,
                settled = counters.settled + excluded.settled
        RETURNING id, limit_id, value, window_start),
    held AS (
        INSERT INTO holds (environment, request, counter, amount, settled, state)
        SELECT :env, t.take ->> 0, c.id, (t.take ->> 2)::bigint, (t.take ->> 3)::bigint,
            CASE WHEN t.take ->> 3 = '0' THEN 'held' ELSE 'settled' END
        FROM jsonb_array_elements(CAST(:takes AS jsonb)) AS t(take)
        JOIN wanted w ON w.n = (t.take ->> 1)::int JOIN counted c USING (limit_id, value, window_start))
    SELECT CASE WHEN :rings THEN pg_notify('governor_outbox', '') END""")
"""Everything a decision writes, cold tables first, the counters everybody wants last (PERFORMANCE.md)."""

_SAVE = """
    UPDATE refund_requests r SET
        amount = n.amount, state = n.state, updated_at = n.updated_at, next_action = n.next_action,
        next_action_at = n.next_action_at, shown = n.shown, expires_at = n.expires_at, expiring_at = n.expiring_at,
        hold_version = n.hold_version, due_at = n.due_at, attempts = n.attempts,
        first_sent_at = n.first_sent_at, lease_token = n.lease_token, lease_until = n.lease_until,
        provider_reference = n.provider_reference, moved = n.moved,
        cancel_requested_at = n.cancel_requested_at, looks = n.looks, flagged_at = n.flagged_at, last_reason = n.last_reason,
        manual = n.manual, unproven = n.unproven
    FROM jsonb_populate_recordset(NULL::refund_requests, CAST(:rows AS jsonb)) n
    WHERE r.environment = :env AND r.id = n.id AND r.id = ANY(:ids)"""
SAVE_REQUESTS = text(_SAVE)

CARRY_HOLDS = """
    WITH old AS (
        SELECT h.counter, h.state, h.amount, h.settled,
            CASE WHEN l.measure = 'amount' THEN :amount ELSE h.amount END AS now_amount,
            CASE WHEN :state <> 'settled' THEN 0 WHEN l.measure = 'amount' THEN :moved ELSE h.amount END AS now_settled
        FROM holds h CROSS JOIN LATERAL (SELECT limit_id FROM counters x WHERE x.id = h.counter LIMIT 1) c
        CROSS JOIN LATERAL (
            SELECT measure FROM limits x WHERE x.environment = h.environment AND x.id = c.limit_id LIMIT 1) l
        WHERE h.environment = :env AND h.request = :request),
    changed AS (
        UPDATE holds h SET state = :state, amount = old.now_amount, settled = old.now_settled FROM old
        WHERE h.environment = :env AND h.request = :request AND h.counter = old.counter
        RETURNING h.counter, old.now_settled - old.settled AS settled,
            CASE WHEN :state = 'held' THEN old.now_amount ELSE 0 END
            - CASE WHEN old.state = 'held' THEN old.amount ELSE 0 END AS reserved),
    counted AS (
        UPDATE counters c SET reserved = c.reserved + changed.reserved, settled = c.settled + changed.settled
        FROM changed WHERE c.id = changed.counter AND c.id = ANY(ARRAY(SELECT counter FROM changed)))"""
"""Carry the holds of a request, or of a refund made elsewhere, to another state, each in the counter where it was
made (invariant 9). On what limits amounts a share is the whole amount: less of it when less was approved."""

CARRY = text(f"""{CARRY_HOLDS},
    booked AS (
        UPDATE payments SET reserved = reserved + :reserved, settled = settled + :settled
        WHERE environment = :env AND payment = :payment)
    {_SAVE}""")  # noqa: S608  two constants
"""Carry a request with its holds and what it takes of its payment."""

EXPIRED = text("""
    SELECT to_jsonb(r) FROM refund_requests r
    WHERE environment = :env AND state = 'pending_approval' AND expires_at <= :now
    ORDER BY expires_at LIMIT :at_most""")
DUE = text(f"""
    SELECT to_jsonb(r) FROM refund_requests r
    WHERE environment = :env AND state = 'queued' AND due_at <= :now AND {NOT_FROZEN}
    AND NOT EXISTS (SELECT 1 FROM refund_requests o WHERE o.environment = :env AND o.payment = r.payment
        AND o.state IN ('dispatching', 'unknown') OFFSET 0)
    ORDER BY due_at, id LIMIT :at_most""")  # noqa: S608  a constant
UNRESOLVED = text("""
    SELECT to_jsonb(r) FROM refund_requests r
    WHERE environment = :env AND state IN ('unknown', 'provider_pending') AND due_at <= :now
    ORDER BY due_at LIMIT :at_most""")
LOST = text("""
    SELECT to_jsonb(r) FROM refund_requests r
    WHERE environment = :env AND state = 'dispatching' AND lease_until <= :now
    ORDER BY lease_until LIMIT :at_most""")
EXPOSED = text("""
    SELECT to_jsonb(r) FROM refund_requests r WHERE environment = :env
    AND (state = ANY(:open) OR (state = 'succeeded' AND created_at >= :since)) ORDER BY id""")
ADD_EVIDENCE = text("""
    INSERT INTO evidence SELECT * FROM jsonb_populate_recordset(NULL::evidence, CAST(:rows AS jsonb))
    ON CONFLICT DO NOTHING RETURNING 1""")
SAVE_ENVIRONMENT = text("""
    UPDATE environments SET mode = :mode, frozen_reason = :frozen_reason, paused_reason = :paused_reason,
        halted_reason = :halted_reason, rate_per_second = :rate_per_second,
        approval_seconds = :approval_seconds, late_limits = :late_limits,
        expiry_notices = :expiry_notices, raises_need_two = :raises_need_two,
        reasons_required = :reasons_required, prove_above = CAST(:prove_above AS jsonb),
        type_above = CAST(:type_above AS jsonb), undo_seconds = :undo_seconds, fenced_at = :fenced_at,
        revision = :revision WHERE name = :env""")
FOLLOW_HISTORY = text("""
    UPDATE environments e SET history = database_history() FROM environments before
    WHERE e.name = :env AND before.name = :env AND before.history <> database_history()
    RETURNING before.history AS before, e.history AS now""")
ADD_ENVIRONMENT = text("""
    INSERT INTO environments (name, account, mode, rate_per_second, approval_seconds, late_limits, expiry_notices,
        raises_need_two, reasons_required, prove_above, type_above, undo_seconds, tokens_at, audit_hash, audit_at, created_at)
    VALUES (:env, :account, :mode, :rate_per_second, :approval_seconds, :late_limits, :expiry_notices,
        :raises_need_two, :reasons_required, CAST(:prove_above AS jsonb), CAST(:type_above AS jsonb),
        :undo_seconds, :now, :genesis, :now, :now)
    ON CONFLICT (name) DO NOTHING RETURNING 1""")
ADD_OPERATION = text("""
    INSERT INTO operations (environment, scope, key, fingerprint, object_id, status, created_at)
    VALUES (:env, :scope, :key, :fingerprint, :object_id, :status, :now)""")
SAVE_TOKENS = text("UPDATE environments SET tokens = :tokens, tokens_at = :now WHERE name = :env")
NOTE_USE = text("""
    UPDATE credentials SET last_used_at = date_trunc('minute', clock_timestamp() + CAST(:offset AS interval))
    WHERE environment = :env AND id = :id""")
MARK_IN_FLIGHT = text("""
    INSERT INTO in_flight (environment, key, until)
    VALUES (:env, :key, clock_timestamp() + make_interval(secs => :seconds))
    ON CONFLICT (environment, key) DO UPDATE SET until = excluded.until
        WHERE in_flight.until < clock_timestamp() RETURNING 1""")
CLEAR_IN_FLIGHT = text("DELETE FROM in_flight WHERE environment = :env AND key = :key")
DUE_BELLS = text("""
    SELECT id, environment, request FROM outbox WHERE due_at <= :now ORDER BY due_at, id LIMIT :at_most FOR UPDATE SKIP LOCKED""")
DROP_BELLS = text("DELETE FROM outbox WHERE id = ANY(:ids)")
OVERDUE = text("""
    SELECT one.id FROM environments e CROSS JOIN LATERAL (
        (SELECT id FROM refund_requests r WHERE r.environment = e.name AND state = 'queued' AND due_at <= :now LIMIT 1)
        UNION ALL
        (SELECT id FROM refund_requests r WHERE r.environment = e.name
            AND state IN ('unknown', 'provider_pending') AND due_at <= :now LIMIT 1) LIMIT 1) one""")
