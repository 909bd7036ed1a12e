-- What the provider tells, and what people resolve: the inbox of its events, how far its books were walked,
-- refunds made elsewhere, and resolutions of what nobody could know. Amounts are minor units, times UTC.

-- An event is kept under its own id before it is answered. The body goes when it has been read: it may name people.
CREATE TABLE provider_events (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL,
    type text NOT NULL,
    payment text,
    refund text,
    key text,
    happened_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    via text NOT NULL CHECK (via IN ('webhook', 'poll')),
    digest text NOT NULL CHECK (length(digest) = 64),
    body bytea,
    due_at timestamptz,
    tries integer NOT NULL DEFAULT 0,
    result text,
    processed_at timestamptz,
    PRIMARY KEY (environment, id),
    CHECK ((due_at IS NULL) = (processed_at IS NOT NULL))
);
CREATE INDEX provider_events_due ON provider_events (environment, due_at) WHERE processed_at IS NULL;
CREATE INDEX provider_events_payment ON provider_events (environment, payment) WHERE key IS NOT NULL;

-- How far the provider's own lists were walked: nothing that happened before `until` was missed. `walked_at` is
-- when the last walk began that came to its end, `tried_at` when one last began.
CREATE TABLE provider_walks (
    environment text NOT NULL REFERENCES environments,
    list text NOT NULL CHECK (list IN ('events', 'refunds')),
    until timestamptz,
    walked_at timestamptz,
    tried_at timestamptz NOT NULL,
    CHECK ((until IS NULL) = (walked_at IS NULL)),
    PRIMARY KEY (environment, list)
);

-- A refund that governor did not make. It holds counters like a request: its holds carry its id.
CREATE TABLE external_refunds (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL CHECK (id NOT LIKE 'rr\_%'),
    payment text,
    amount bigint NOT NULL CHECK (amount >= 0),
    currency text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
    customer text,
    status text,
    capacity text NOT NULL CHECK (capacity IN ('held', 'settled', 'released')),
    claims text,
    request text,
    happened_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (environment, id),
    CHECK (capacity = CASE WHEN request IS NOT NULL OR status IN ('failed', 'canceled') THEN 'released'
        WHEN status = 'succeeded' THEN 'settled' ELSE 'held' END)
);
CREATE INDEX external_refunds_payment ON external_refunds (environment, payment);

-- What a payment lost to refunds made elsewhere is the sum of those; facts that were read before are read anew.
ALTER TABLE payments DROP COLUMN external;
UPDATE payments SET read_at = 'epoch';

-- Which history of the database this is: of which server, on which timeline. A standby that took over, and a
-- backup put back, go on with another one; a server that merely starts again does not.
CREATE FUNCTION database_history() RETURNS text LANGUAGE sql VOLATILE
    RETURN (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name('0/1'), 8);
-- The history that dispatch last saw. Where it changed, refunds may have been forgotten: nothing is sent since `fenced_at`.
ALTER TABLE environments ADD COLUMN history text NOT NULL DEFAULT database_history();
ALTER TABLE environments ADD COLUMN fenced_at timestamptz;

-- Two different people say the same about a request in doubt; later evidence still wins.
CREATE TABLE resolutions (
    environment text NOT NULL,
    request text NOT NULL,
    person text NOT NULL,
    credential text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('succeeded', 'failed')),
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    attempts integer NOT NULL CHECK (attempts >= 0),
    proposed_at timestamptz NOT NULL,
    PRIMARY KEY (environment, request, person, proposed_at),
    FOREIGN KEY (environment, request) REFERENCES refund_requests (environment, id)
);
CREATE TRIGGER resolutions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON resolutions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The trail of one object, for whoever has to judge it.
CREATE INDEX audit_object ON audit (environment, object, seq);

ALTER TABLE refund_requests ADD COLUMN manual boolean NOT NULL DEFAULT false;
ALTER TABLE evidence DROP CONSTRAINT evidence_source_check;
ALTER TABLE evidence ADD CONSTRAINT evidence_source_check
    CHECK (source IN ('reply', 'not_sent', 'read', 'webhook', 'operator'));
ALTER TABLE evidence DROP CONSTRAINT evidence_check;
ALTER TABLE evidence ADD CONSTRAINT evidence_check
    CHECK (outcome <> 'accepted' OR refund IS NOT NULL OR source = 'operator');
