-- The foundation. CHECK and UNIQUE constraints repeat the domain's rules: the database has the last word.
-- Every key begins with the environment, so that the database can be sharded by it.
-- Amounts are minor units, times UTC. fillfactor leaves room for the updates that never touch an index.
-- What an admission writes has no foreign keys: its transaction holds the environment's row and makes the
-- counters itself, so they could only repeat, for every row, what cannot be otherwise. `governor fsck` proves it.

CREATE TABLE environments (
    name text PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9-]{0,31}$'),
    account text NOT NULL,
    mode text NOT NULL CHECK (mode IN ('enforce', 'observe')),
    frozen_reason text,
    paused_reason text,
    halted_reason text,
    rate_per_second integer NOT NULL CHECK (rate_per_second BETWEEN 1 AND 1000),
    approval_seconds integer NOT NULL CHECK (approval_seconds BETWEEN 60 AND 2592000),
    limits_revision bigint NOT NULL DEFAULT 0,
    revision bigint NOT NULL DEFAULT 1,
    tokens double precision NOT NULL DEFAULT 0 CHECK (tokens >= 0),
    tokens_at timestamptz NOT NULL,
    audit_seq bigint NOT NULL DEFAULT 0,
    audit_hash text NOT NULL CHECK (length(audit_hash) = 64),
    audit_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE credentials (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL UNIQUE CHECK (id LIKE 'cred\_%'),
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('agent', 'approver', 'operator', 'auditor')),
    kind text NOT NULL CHECK (kind IN ('human', 'program')),
    owner text NOT NULL,
    agent text NOT NULL,
    parent text,
    secret_hash text NOT NULL CHECK (length(secret_hash) = 64),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (environment, id),
    FOREIGN KEY (environment, parent) REFERENCES credentials (environment, id)
);

CREATE TABLE limits (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL CHECK (id LIKE 'lim\_%'),
    scope text NOT NULL CHECK (scope IN ('environment', 'credential', 'agent', 'customer', 'payment', 'case')),
    value text,
    measure text NOT NULL CHECK (measure IN ('amount', 'count')),
    currency text CHECK (currency ~ '^[a-z]{3}$'),
    "window" text NOT NULL CHECK ("window" IN ('request', 'day', 'month', 'rolling', 'lifetime')),
    window_days integer CHECK (window_days BETWEEN 1 AND 366),
    time_zone text NOT NULL,
    cap bigint NOT NULL CHECK (cap >= 0),
    approval_above bigint CHECK (approval_above >= 0),
    revision bigint NOT NULL CHECK (revision >= 1),
    archived boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (environment, id),
    CHECK ((measure = 'amount') = (currency IS NOT NULL)),
    CHECK (("window" = 'rolling') = (window_days IS NOT NULL)),
    CHECK (measure = 'amount' OR approval_above IS NULL),
    CHECK (scope <> 'environment' OR value IS NULL)
);

-- One row for one limit, one scope value and one window. Born once; never indexed by what changes.
CREATE TABLE counters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    environment text NOT NULL,
    limit_id text NOT NULL,
    value text NOT NULL,
    window_start timestamptz NOT NULL,
    reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    settled bigint NOT NULL DEFAULT 0 CHECK (settled >= 0),
    UNIQUE (environment, limit_id, value, window_start),
    FOREIGN KEY (environment, limit_id) REFERENCES limits (environment, id)
) WITH (fillfactor = 50);

-- A payment as the provider showed it, and the built-in ceiling: open + settled + external <= captured.
CREATE TABLE payments (
    environment text NOT NULL,
    payment text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    captured bigint NOT NULL CHECK (captured >= 0),
    customer text,
    livemode boolean NOT NULL CHECK (NOT livemode),
    refundable_status boolean NOT NULL,
    dispute text NOT NULL CHECK (dispute IN ('none', 'inquiry', 'open', 'won', 'lost')),
    charge text,
    refunds jsonb NOT NULL,
    read_at timestamptz NOT NULL,
    external bigint NOT NULL DEFAULT 0 CHECK (external >= 0),
    reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    settled bigint NOT NULL DEFAULT 0 CHECK (settled >= 0),
    PRIMARY KEY (environment, payment)
) WITH (fillfactor = 50);

CREATE TABLE refund_requests (
    environment text NOT NULL,
    id text NOT NULL CHECK (id LIKE 'rr\_%'),
    operation_key text NOT NULL CHECK (length(operation_key) BETWEEN 8 AND 255),
    fingerprint text NOT NULL,
    payment text NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0 AND (amount > 0 OR state = 'denied')),
    currency text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
    reason text,
    "case" text,
    note text CHECK (length(note) <= 2000),
    customer text,
    account text NOT NULL,
    requested_by text NOT NULL,
    credentials text[] NOT NULL,
    agent text NOT NULL,
    person text NOT NULL,
    state text NOT NULL CHECK (state IN ('denied', 'pending_approval', 'queued', 'dispatching', 'unknown',
        'provider_pending', 'succeeded', 'failed', 'reversed', 'rejected', 'expired', 'canceled')),
    hold text CHECK (hold = 'hold_' || substr(id, 4)),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    denial text,
    next_action text NOT NULL,
    next_action_at timestamptz,
    duplicate_of text,
    limits jsonb NOT NULL,
    shown jsonb NOT NULL,
    expires_at timestamptz,
    quorum integer NOT NULL CHECK (quorum >= 0),
    hold_version integer NOT NULL,
    due_at timestamptz,
    attempts integer NOT NULL CHECK (attempts >= 0),
    first_sent_at timestamptz,
    lease_token bigint NOT NULL,
    lease_until timestamptz,
    provider_reference text,
    moved bigint NOT NULL CHECK (moved >= 0),
    cancel_requested_at timestamptz,
    looks integer NOT NULL,
    flagged_at timestamptz,
    last_reason text,
    PRIMARY KEY (environment, id),
    UNIQUE (environment, operation_key),
    CHECK ((state = 'denied') = (denial IS NOT NULL)),
    CHECK ((state = 'denied') = (hold IS NULL)),
    CHECK (state <> 'pending_approval' OR expires_at IS NOT NULL),
    CHECK (state <> 'dispatching' OR (lease_until IS NOT NULL AND attempts > 0 AND first_sent_at IS NOT NULL)),
    CHECK (state <> 'queued' OR due_at IS NOT NULL)
) WITH (fillfactor = 50);
CREATE INDEX refund_requests_payment ON refund_requests (environment, payment, id);
CREATE INDEX refund_requests_due ON refund_requests (environment, due_at) WHERE state = 'queued';
CREATE INDEX refund_requests_in_doubt ON refund_requests (environment, due_at)
    WHERE state IN ('unknown', 'provider_pending');
CREATE INDEX refund_requests_leased ON refund_requests (environment, lease_until) WHERE state = 'dispatching';
CREATE INDEX refund_requests_waiting ON refund_requests (environment, expires_at) WHERE state = 'pending_approval';
CREATE INDEX refund_requests_unresolved ON refund_requests (environment, payment)
    WHERE state IN ('dispatching', 'unknown');

-- A hold: the share of one counter that one request occupies.
CREATE TABLE holds (
    environment text NOT NULL,
    request text NOT NULL,
    counter bigint NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    settled bigint NOT NULL DEFAULT 0 CHECK (settled >= 0),
    state text NOT NULL CHECK (state IN ('held', 'settled', 'released')),
    PRIMARY KEY (environment, request, counter),
    CHECK (state = 'settled' OR settled = 0)
) WITH (fillfactor = 70);
CREATE INDEX holds_held ON holds (counter, request) WHERE state = 'held';

CREATE TABLE evidence (
    environment text NOT NULL,
    request text NOT NULL,
    natural_key text NOT NULL,
    source text NOT NULL CHECK (source IN ('reply', 'not_sent', 'read', 'webhook')),
    outcome text NOT NULL CHECK (outcome IN ('accepted', 'rejected', 'not_executed', 'unknown')),
    attempt integer,
    kept boolean NOT NULL,
    refund jsonb,
    reason text NOT NULL,
    http_status integer,
    provider_request_id text,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (environment, request, natural_key),
    FOREIGN KEY (environment, request) REFERENCES refund_requests (environment, id),
    CHECK (outcome <> 'accepted' OR refund IS NOT NULL)
);

CREATE TABLE votes (
    environment text NOT NULL,
    hold text NOT NULL,
    person text NOT NULL,
    credential text NOT NULL,
    choice text NOT NULL CHECK (choice IN ('approve', 'reject')),
    digest text NOT NULL,
    version integer NOT NULL,
    reason text,
    decided_at timestamptz NOT NULL,
    PRIMARY KEY (environment, hold, person)
);

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    environment text NOT NULL,
    request text NOT NULL,
    due_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at);

CREATE TABLE operations (
    environment text NOT NULL REFERENCES environments,
    scope text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    object_id text NOT NULL,
    status integer NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (environment, scope, key)
);

-- Keys whose first request is still reading the provider. Losing it in a crash loses nothing.
CREATE UNLOGGED TABLE in_flight (
    environment text NOT NULL,
    key text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (environment, key)
);

CREATE TABLE audit (
    environment text NOT NULL,
    seq bigint NOT NULL CHECK (seq >= 1),
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    facts jsonb NOT NULL,
    prev_hash text NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (environment, seq)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER evidence_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON evidence
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER votes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON votes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
