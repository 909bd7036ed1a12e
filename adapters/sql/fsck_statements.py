"""What must add up, as statements that return only what does not: one JSON record a finding."""

from sqlalchemy import text

SIZES = text("""
    SELECT jsonb_build_object(
        'counters', (SELECT count(*) FROM counters WHERE environment = :env),
        'holds', (SELECT count(*) FROM holds WHERE environment = :env),
        'payments', (SELECT count(*) FROM payments WHERE environment = :env),
        'external_refunds', (SELECT count(*) FROM external_refunds WHERE environment = :env),
        'messages', (SELECT count(*) FROM messages WHERE environment = :env),
        'deliveries', (SELECT count(*) FROM deliveries WHERE environment = :env),
        'refund_requests', (SELECT count(*) FROM refund_requests WHERE environment = :env),
        'audit_rows', (SELECT count(*) FROM audit WHERE environment = :env))""")

ENVIRONMENTS = text("SELECT name FROM environments ORDER BY name")

TIMES = text(r"""
    SELECT format($$
        SELECT jsonb_build_object('code', 'row_time', 'object', concat_ws(' ', %L, %s), 'expected', 'a time',
            'found', concat(said.name, ' ', said.at))
        FROM %I r CROSS JOIN LATERAL (VALUES %s) AS said(name, at)
        WHERE r.%I = \:env AND (NOT isfinite(said.at) OR extract(year FROM said.at) NOT BETWEEN 1 AND 9999)$$,
        c.relname, coalesce(keys.names, 'NULL'), c.relname, times.names, here.name)
    FROM pg_class c
    CROSS JOIN LATERAL (
        SELECT string_agg(format('(%L, r.%I)', attname, attname), ', ' ORDER BY attnum) AS names FROM pg_attribute
        WHERE attrelid = c.oid AND atttypid = 'timestamptz'::regtype AND NOT attisdropped) times
    CROSS JOIN LATERAL (
        SELECT attname AS name FROM pg_attribute WHERE attrelid = c.oid AND NOT attisdropped
        AND attname = CASE c.relname WHEN 'environments' THEN 'name' ELSE 'environment' END) here
    LEFT JOIN LATERAL (
        SELECT string_agg(format('r.%I', a.attname), ', ' ORDER BY a.attnum) AS names FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary AND a.attname <> 'environment') keys ON true
    WHERE c.relkind = 'r' AND pg_table_is_visible(c.oid) AND has_table_privilege(c.oid, 'SELECT')
    AND times.names IS NOT NULL ORDER BY c.relname""")
"""A statement for each table of environments' rows: which of its times is none, as infinity is, that no code writes."""

WRONG_SUMS = text("""
    SELECT jsonb_build_object('code', wrong.code, 'expected', wrong.expected, 'found', wrong.found,
        'object', concat('counter ', c.id, ' of ', c.limit_id, ' for ', c.value))
    FROM counters c
    LEFT JOIN (
        SELECT counter, sum(amount) FILTER (WHERE state = 'held') AS held, sum(settled) AS settled
        FROM holds GROUP BY counter) h ON h.counter = c.id
    CROSS JOIN LATERAL (VALUES
        ('counter_reserved', coalesce(h.held, 0), c.reserved),
        ('counter_settled', coalesce(h.settled, 0), c.settled)) AS wrong(code, expected, found)
    WHERE c.environment = :env AND wrong.expected <> wrong.found ORDER BY c.id""")
"""Invariant 17: for each counter `reserved` = Σ held and `settled` = Σ settled."""

WRONG_HOLDS = text("""
    SELECT jsonb_build_object('code', wrong.code, 'expected', wrong.expected, 'found', wrong.found,
        'object', concat(h.request, ' on counter ', h.counter))
    FROM holds h
    LEFT JOIN refund_requests r ON r.environment = h.environment AND r.id = h.request
    LEFT JOIN external_refunds x ON x.environment = h.environment AND x.id = h.request
    JOIN counters c ON c.id = h.counter
    JOIN limits l ON l.environment = c.environment AND l.id = c.limit_id
    CROSS JOIN LATERAL (VALUES
        ('hold_environment', h.environment, c.environment),
        ('hold_amount', CASE WHEN l.measure = 'amount' THEN coalesce(r.amount, x.amount) ELSE 1 END::text, h.amount::text),
        ('hold_state', coalesce(CAST(:capacity AS jsonb) ->> r.state, x.capacity, 'a refund'), h.state),
        ('hold_settled', CASE WHEN h.state = 'settled' AND l.measure = 'amount' THEN coalesce(r.moved, x.amount)::text
            WHEN h.state = 'settled' THEN h.amount::text ELSE '0' END, h.settled::text)
        ) AS wrong(code, expected, found)
    WHERE h.environment = :env AND wrong.expected IS DISTINCT FROM wrong.found ORDER BY h.request, h.counter""")
"""A hold is as much as its request or external refund is for, is what that makes of capacity, and settles what moved
(or counts one)."""

WRONG_PAYMENTS = text("""
    WITH asked AS (
        SELECT payment,
            coalesce(sum(amount) FILTER (WHERE CAST(:capacity AS jsonb) ->> state = 'held'), 0) AS reserved,
            coalesce(sum(moved) FILTER (WHERE CAST(:capacity AS jsonb) ->> state = 'settled'), 0) AS settled
        FROM refund_requests WHERE environment = :env GROUP BY payment),
    known AS (SELECT payment, reserved, settled FROM payments WHERE environment = :env)
    SELECT jsonb_build_object('code', wrong.code, 'expected', wrong.expected, 'found', wrong.found,
        'object', payment)
    FROM asked a FULL JOIN known k USING (payment)
    CROSS JOIN LATERAL (VALUES
        ('payment_reserved', coalesce(a.reserved, 0), k.reserved),
        ('payment_settled', coalesce(a.settled, 0), k.settled)) AS wrong(code, expected, found)
    WHERE wrong.expected IS DISTINCT FROM wrong.found ORDER BY payment""")

WRONG_COLUMNS = text("""
    SELECT jsonb_build_object('code', wrong.code, 'expected', wrong.expected, 'found', r.state, 'object', r.id)
    FROM refund_requests r
    CROSS JOIN LATERAL (VALUES
        ('request_denial', 'a denial and no hold exactly when denied',
            (r.state = 'denied') <> (r.denial IS NOT NULL) OR (r.state = 'denied') <> (r.hold IS NULL)),
        ('request_due_at', 'a time of dispatch when queued', r.state = 'queued' AND r.due_at IS NULL),
        ('request_expiry', 'an expiry and a quorum when waiting for approval',
            r.state = 'pending_approval' AND (r.expires_at IS NULL OR r.quorum < 1)),
        ('request_lease', 'a lease and an attempt when dispatching',
            r.state = 'dispatching' AND (r.lease_until IS NULL OR r.attempts < 1 OR r.first_sent_at IS NULL)),
        ('request_moved', 'money moved exactly when succeeded', (r.state = 'succeeded') <> (r.moved > 0)),
        ('request_evidence', 'evidence of a refund at the provider',
            r.state IN ('provider_pending', 'succeeded', 'reversed') AND NOT EXISTS (
                SELECT 1 FROM evidence e WHERE e.environment = r.environment AND e.request = r.id
                AND e.outcome = 'accepted'))
        ) AS wrong(code, expected, contradicts)
    WHERE r.environment = :env AND wrong.contradicts ORDER BY r.id""")

WRONG_OUTBOX = text("""
    SELECT jsonb_build_object('code', 'outbox_request', 'expected', 'a refund request', 'found', o.request,
        'object', concat('outbox row ', o.id))
    FROM outbox o WHERE o.environment = :env AND NOT EXISTS (
        SELECT 1 FROM refund_requests r WHERE r.environment = o.environment AND r.id = o.request)
    ORDER BY o.id""")

WRONG_EXTERNAL = text("""
    SELECT jsonb_build_object('code', 'external_capacity', 'expected', x.expected, 'found', x.capacity, 'object', x.id)
    FROM (SELECT *, CASE WHEN request IS NOT NULL OR status IN ('failed', 'canceled') THEN 'released'
        WHEN status = 'succeeded' THEN 'settled' ELSE 'held' END AS expected
        FROM external_refunds WHERE environment = :env) x
    WHERE x.expected <> x.capacity ORDER BY x.id""")

WRONG_FREEZE = text("""
    SELECT jsonb_build_object('code', 'environment_frozen', 'object', e.name,
        'expected', coalesce(f.frozen_reason, 'not frozen'), 'found', coalesce(e.frozen_reason, 'not frozen'))
    FROM environments e LEFT JOIN freezes f ON f.environment = e.name AND f.scope = 'environment' AND f.ended_at IS NULL
    WHERE e.name = :env AND e.frozen_reason IS DISTINCT FROM f.frozen_reason""")
"""The switch on the environment's line is thrown exactly while a freeze of the environment stands."""

WRONG_MEMBERSHIPS = text("""
    SELECT jsonb_build_object('code', wrong.code, 'object', c.id,
        'expected', coalesce(wrong.expected, 'none'), 'found', coalesce(wrong.found, 'none'))
    FROM credentials c JOIN people p ON p.id = c.person
    CROSS JOIN LATERAL (VALUES
        ('membership_owner', p.login, c.owner),
        ('membership_suspended', p.disabled_at::text, c.suspended_at::text)) AS wrong(code, expected, found)
    WHERE c.environment = :env AND wrong.expected IS DISTINCT FROM wrong.found ORDER BY c.id""")
"""A membership is owned by its person's login, and suspended exactly since its person is disabled."""

WRONG_MESSAGES = text("""
    SELECT jsonb_build_object('code', 'message_delivery', 'object', m.id,
        'expected', concat('a delivery to ', e.id), 'found', 'none')
    FROM messages m JOIN endpoints e ON e.environment = m.environment
    WHERE m.environment = :env AND e.disabled_at IS NULL AND e.deleted_at IS NULL AND m.at >= e.told_since
    AND CASE WHEN m.type = 'endpoint.tested' THEN m.object = e.id ELSE e.types = '{}' OR m.type = ANY(e.types) END
    AND NOT EXISTS (SELECT 1 FROM deliveries d
        WHERE d.environment = m.environment AND d.endpoint = e.id AND d.message = m.id)
    UNION ALL
    SELECT jsonb_build_object('code', 'message_trail', 'object', m.id, 'expected', concat('told up to row ', m.seq),
        'found', concat('row ', t.seq))
    FROM messages m LEFT JOIN tellings t ON t.environment = m.environment
    WHERE m.environment = :env AND m.seq > coalesce(t.seq, 0)
    UNION ALL
    SELECT jsonb_build_object('code', 'message_end', 'object', e.name, 'expected', concat('rows up to ', e.audit_seq),
        'found', concat('told up to row ', t.seq))
    FROM tellings t JOIN environments e ON e.name = t.environment WHERE e.name = :env AND t.seq > e.audit_seq""")
"""Whoever wants a message has its delivery, and the outside is told up to where it is said, and no further."""

OPEN_REQUESTS = text("""
    SELECT jsonb_build_object('request', to_jsonb(r), 'holds', (
        SELECT coalesce(jsonb_agg(jsonb_build_array(c.limit_id, c.value, h.amount)), '[]')
        FROM holds h JOIN counters c ON c.id = h.counter
        WHERE h.environment = r.environment AND h.request = r.id))
    FROM refund_requests r WHERE environment = :env AND state = ANY(:states) ORDER BY id""")

REQUESTS_BETWEEN = text("""
    SELECT jsonb_build_object('request', to_jsonb(r), 'evidence', (
        SELECT coalesce(jsonb_agg(to_jsonb(e) ORDER BY e.recorded_at, e.natural_key), '[]') FROM evidence e
        WHERE e.environment = r.environment AND e.request = r.id))
    FROM refund_requests r WHERE environment = :env AND currency = :currency AND state <> 'denied'
    AND (created_at >= :since AND created_at < :until OR EXISTS (
        SELECT 1 FROM evidence e WHERE e.environment = r.environment AND e.request = r.id
        AND (e.refund ->> 'created_at')::timestamptz >= :since AND (e.refund ->> 'created_at')::timestamptz < :until))
    ORDER BY id""")
EXTERNAL_BETWEEN = text("""
    SELECT to_jsonb(x) FROM external_refunds x WHERE environment = :env AND currency = :currency
    AND request IS NULL AND happened_at >= :since AND happened_at < :until ORDER BY id""")

TRAIL = text("SELECT to_jsonb(a) FROM audit a WHERE environment = :env ORDER BY seq")
HEAD = text("SELECT audit_seq, audit_hash FROM environments WHERE name = :env")
