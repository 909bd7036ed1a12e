"""The statements of reads.py: each returns one JSON record a row, each names its environment.

The LATERAL look-ups with LIMIT 1 are nested loops over an index by construction, and OFFSET 0 keeps an EXISTS one:
a join would be planned from statistics, and may read a whole environment's counters for one request. Nobody knows
anything of a new table, for which tests/adapters/test_plans.py looks at every plan.
"""

from sqlalchemy import TextClause, text

ENVIRONMENT = text("SELECT to_jsonb(e) FROM environments e WHERE name = :name")
ENVIRONMENTS = text("SELECT to_jsonb(e) FROM environments e ORDER BY name")
REQUEST = text("SELECT to_jsonb(r) FROM refund_requests r WHERE environment = :env AND id = :id")
ENVIRONMENT_OF = text("""
    SELECT name FROM environments e
    WHERE EXISTS (SELECT 1 FROM refund_requests r WHERE r.environment = e.name AND r.id = :id)""")
BY_KEY = text("""
    SELECT to_jsonb(r) FROM refund_requests r WHERE environment = :env AND operation_key = ANY(:keys)""")
_CHOSEN = """environment = :env AND id < coalesce(:after, 'rs')
        AND (cardinality(CAST(:states AS text[])) = 0 OR state = ANY(:states))
        AND (cardinality(CAST(:cases AS text[])) = 0 OR "case" = ANY(:cases))
        AND (cardinality(CAST(:customers AS text[])) = 0 OR customer = ANY(:customers))
        AND (cardinality(CAST(:requested_by AS text[])) = 0 OR requested_by = ANY(:requested_by))"""
"""Every id begins with `rr_`, and stands before `rs` however the database sorts."""
REQUESTS = text("""
    SELECT to_jsonb(r) FROM refund_requests r WHERE environment = :env AND id < coalesce(:after, 'rs')
    AND (cardinality(CAST(:states AS text[])) = 0 OR state = ANY(:states))
    ORDER BY id DESC LIMIT :at_most""")
"""It asks no more than where nothing else is named: a plan that may leave few rows sorts them all."""


def _requests_of(named: str, column: str) -> TextClause:
    """The same list where something is named that a request is about: whoever looks must not walk all of the past."""
    return text(f"""
    SELECT to_jsonb(r) FROM unnest(CAST(:{named} AS text[])) AS n(name) CROSS JOIN LATERAL (
        SELECT * FROM refund_requests x WHERE x.{column} = n.name AND {_CHOSEN}
        ORDER BY id DESC LIMIT :at_most) r
    ORDER BY r.id DESC LIMIT :at_most""")  # noqa: S608  words of this file


REQUESTS_OF_PAYMENTS = _requests_of("payments", "payment")
"""Whoever looks at a payment holds the line meanwhile."""
REQUESTS_OF_CASES = _requests_of("cases", '"case"')
REQUESTS_OF_CUSTOMERS = _requests_of("customers", "customer")
REQUESTS_OF_REQUESTERS = _requests_of("requested_by", "requested_by")
_OPEN = {
    "state = 'pending_approval'": "{pending_approval}",
    "state = 'queued'": "{queued}",
    "state = 'dispatching'": "{dispatching}",
    "state IN ('unknown', 'provider_pending')": "{unknown,provider_pending}",
}
"""Each has an index of its own, with as many rows as stand so now; and which states these are."""
_ALL_OPEN = " UNION ALL ".join(
    f"(SELECT * FROM refund_requests WHERE CAST(:states AS text[]) && '{these}' AND {so} AND {_CHOSEN} OFFSET 0)"  # noqa: S608  constants
    for so, these in _OPEN.items()
)
"""Whether any of them is asked for is known before the first row: an index that holds none of these is not opened."""
REQUESTS_OF_STATES = text(f"""
    SELECT to_jsonb(r) FROM (SELECT * FROM ({_ALL_OPEN} UNION ALL
        SELECT x.* FROM (SELECT DISTINCT unnest(CAST(:states AS text[]))) AS n(name) CROSS JOIN LATERAL (
            SELECT * FROM refund_requests WHERE state = n.name
            AND state IN ('denied', 'failed', 'reversed', 'rejected', 'expired', 'canceled') AND {_CHOSEN}
            ORDER BY id DESC LIMIT :at_most) x) s
        ORDER BY id DESC LIMIT :at_most) r
    ORDER BY r.id DESC""")  # noqa: S608  constants
"""The same list of what has not succeeded: few beside the past, which would be walked to its end to find them."""
HOLDS = text("""
    SELECT to_jsonb(h) || jsonb_build_object('limit', c.limit_id) FROM holds h
    CROSS JOIN LATERAL (SELECT limit_id FROM counters x WHERE x.id = h.counter LIMIT 1) c
    WHERE h.environment = :env AND request = :id ORDER BY counter""")
EVIDENCE = text(
    "SELECT to_jsonb(e) FROM evidence e WHERE environment = :env AND request = :id ORDER BY recorded_at, natural_key",
)
_TAKEN_ELSEWHERE = """
    SELECT coalesce(sum(amount), 0) FROM external_refunds x
    WHERE x.environment = :env AND x.payment = p.payment AND capacity <> 'released'"""
PAYMENT = text(f"""
    SELECT jsonb_build_object('row', to_jsonb(p), 'external', ({_TAKEN_ELSEWHERE}))
    FROM payments p WHERE environment = :env AND payment = :id""")  # noqa: S608  two constants
USAGE = text("""
    SELECT jsonb_build_object('n', k.n, 'reserved', coalesce(c.reserved, 0), 'settled', coalesce(c.settled, 0),
        'earlier', CASE WHEN k.since < k.window_start THEN (
            SELECT coalesce(sum(d.reserved + d.settled), 0) FROM counters d WHERE d.environment = :env
            AND d.limit_id = k.limit_id AND d.value = k.value
            AND d.window_start >= k.since AND d.window_start < k.window_start) ELSE 0 END)
    FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS k(n int, limit_id text, value text, window_start timestamptz, since timestamptz)
    LEFT JOIN LATERAL (SELECT * FROM counters x WHERE x.environment = :env AND x.limit_id = k.limit_id
        AND x.value = k.value AND x.window_start = k.window_start LIMIT 1) c ON true""")
HOLDERS = text("""
    SELECT jsonb_build_object('n', k.n, 'request', r.id, 'hold', r.hold, 'amount', h.amount)
    FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS k(n int, limit_id text, value text, window_start timestamptz)
    CROSS JOIN LATERAL (SELECT * FROM counters x WHERE x.environment = :env AND x.limit_id = k.limit_id
        AND x.value = k.value AND x.window_start = k.window_start LIMIT 1) c
    CROSS JOIN LATERAL (SELECT * FROM holds x WHERE x.counter = c.id AND x.state = 'held'
        ORDER BY x.request DESC LIMIT :at_most) h
    CROSS JOIN LATERAL (SELECT id, hold FROM refund_requests x
        WHERE x.environment = :env AND x.id = h.request LIMIT 1) r
    ORDER BY k.n, h.request DESC""")
OPERATION = text(
    "SELECT to_jsonb(o) FROM operations o WHERE environment = :env AND scope = :scope AND key = :key"
)
_CHAIN = """
    WITH RECURSIVE chain AS (
        SELECT c.id AS start, 0 AS depth, c.* FROM credentials c
        WHERE c.environment = :env AND c.id = ANY(:credentials)
        UNION ALL
        SELECT k.start, k.depth + 1, p.* FROM chain k
        JOIN credentials p ON p.environment = k.environment AND p.id = k.parent WHERE k.depth < 20)"""
NOT_FROZEN = """NOT EXISTS (SELECT 1 FROM freezes f WHERE f.environment = :env AND f.ended_at IS NULL
        AND (f.scope = 'environment' OR (f.scope = 'payment' AND f.value = r.payment)
            OR (f.scope = 'customer' AND f.value = r.customer)
            OR (f.scope = 'credential' AND f.value = ANY(r.credentials))) OFFSET 0)"""
"""Frozen requests must not stand at the head of the queue before those that may go. The rule itself is the domain's
(governor.domain.freezes), which the gate asks right before the bytes leave."""
_FREEZES = "SELECT 'freeze', to_jsonb(f) FROM freezes f WHERE environment = :env AND ended_at IS NULL"
CHAINS = text(f"{_CHAIN} SELECT to_jsonb(chain) FROM chain")  # noqa: S608  two constants
GATE = text(f"""{_CHAIN}
    SELECT 'credential', to_jsonb(chain) FROM chain
    UNION ALL SELECT 'request', to_jsonb(r) FROM refund_requests r WHERE environment = :env AND id = :id
    UNION ALL SELECT 'environment', to_jsonb(e) FROM environments e WHERE name = :env
    UNION ALL {_FREEZES}
    UNION ALL SELECT 'vote', to_jsonb(v) FROM votes v
        WHERE environment = :env AND hold = 'hold_' || substr(CAST(:id AS text), 4)
    UNION ALL SELECT 'same_history', to_jsonb(history = database_history()) FROM environments WHERE name = :env
    UNION ALL SELECT 'now', to_jsonb(clock_timestamp())""")  # noqa: S608  two constants
SURROUNDINGS = text(f"""{_CHAIN}
    SELECT 'credential', to_jsonb(chain) FROM chain
    UNION ALL SELECT 'known', to_jsonb(r) FROM refund_requests r
        WHERE environment = :env AND operation_key = ANY(:keys)
    UNION ALL SELECT 'payment', to_jsonb(p) FROM payments p WHERE environment = :env AND payment = ANY(:payments)
    UNION ALL SELECT 'external', jsonb_build_array(p.payment, ({_TAKEN_ELSEWHERE}))
        FROM unnest(CAST(:payments AS text[])) AS p(payment)
    UNION ALL {_FREEZES}
    UNION ALL SELECT 'sibling', jsonb_build_array(payment, id, state, amount, asked_amount) FROM refund_requests
        WHERE environment = :env AND payment = ANY(:payments)
        AND (state = ANY(:open) OR (state = 'succeeded' AND updated_at > :since))
    UNION ALL SELECT 'sibling', jsonb_build_array(payment, claims, 'succeeded', amount) FROM external_refunds
        WHERE environment = :env AND payment = ANY(:payments) AND claims IS NOT NULL AND capacity <> 'released'
    UNION ALL SELECT 'expired', to_jsonb(EXISTS (SELECT 1 FROM refund_requests
        WHERE environment = :env AND state = 'pending_approval' AND expires_at <= :now))""")  # noqa: S608  two constants
"""One statement, because a batch holds the environment's line while it waits for each answer.

Nothing is sorted: asked to sort, the planner walks the whole environment in the order of ids instead.
"""
ANYTHING_DUE = text(f"""
    SELECT EXISTS (SELECT 1 FROM refund_requests r WHERE environment = :env AND state = 'queued' AND due_at <= :now
        AND {NOT_FROZEN}
        AND NOT EXISTS (SELECT 1 FROM refund_requests o WHERE o.environment = :env AND o.payment = r.payment
            AND o.state IN ('dispatching', 'unknown') OFFSET 0))""")  # noqa: S608  a constant
ANYTHING_EXPIRED = text("""
    SELECT EXISTS (SELECT 1 FROM refund_requests
        WHERE environment = :env AND state = 'pending_approval' AND expires_at <= :now)""")
ANYTHING_UNRESOLVED = text("""
    SELECT EXISTS (SELECT 1 FROM refund_requests
        WHERE environment = :env AND state IN ('unknown', 'provider_pending') AND due_at <= :now)""")
ANYTHING_LOST = text("""
    SELECT EXISTS (SELECT 1 FROM refund_requests
        WHERE environment = :env AND state = 'dispatching' AND lease_until <= :now)""")
HISTORY_CHANGED = text("SELECT history <> database_history() FROM environments WHERE name = :env")
