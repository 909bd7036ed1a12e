-- Messages out. The audit trail is their outbox: `tellings` says up to which of its rows the outside was told.
-- What opens an endpoint (its URL, its addresses, its secrets) is kept sealed, since it must be used. Times are UTC.

CREATE TABLE endpoints (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL CHECK (id LIKE 'ep\_%'),
    kind text NOT NULL CHECK (kind IN ('webhook', 'slack', 'email')),
    place text NOT NULL,
    target bytea,
    secret bytea,
    previous_secret bytea,
    previous_until timestamptz,
    rotated_at timestamptz,
    types text[] NOT NULL,
    description text CHECK (length(description) BETWEEN 1 AND 200),
    created_at timestamptz NOT NULL,
    told_since timestamptz NOT NULL,
    failing_since timestamptz,
    disabled_at timestamptz,
    disabled_reason text CHECK (disabled_reason IN ('failing', 'gone')),
    deleted_at timestamptz,
    PRIMARY KEY (environment, id),
    CHECK ((target IS NULL) = (deleted_at IS NOT NULL)),
    CHECK ((secret IS NOT NULL) = (kind = 'webhook' AND deleted_at IS NULL)),
    CHECK (num_nulls(previous_secret, previous_until) IN (0, 2)),
    CHECK (num_nulls(disabled_at, disabled_reason) IN (0, 2))
);

-- Up to which row of its trail an environment's endpoints were told.
CREATE TABLE tellings (
    environment text PRIMARY KEY REFERENCES environments,
    seq bigint NOT NULL CHECK (seq >= 0)
) WITH (fillfactor = 50);
INSERT INTO tellings (environment, seq) SELECT name, audit_seq FROM environments;

CREATE TABLE messages (
    environment text NOT NULL,
    id text NOT NULL CHECK (id LIKE 'msg\_%'),
    seq bigint NOT NULL,
    type text NOT NULL,
    object text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (environment, id),
    UNIQUE (environment, seq, type),
    FOREIGN KEY (environment, seq) REFERENCES audit (environment, seq)
);
CREATE TRIGGER messages_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON messages
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- One message on its way to one endpoint. `due_at`: when it is tried next, or until when it may be under way.
CREATE TABLE deliveries (
    environment text NOT NULL,
    endpoint text NOT NULL,
    message text NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'sending', 'delivered', 'given_up')),
    tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    due_at timestamptz,
    created_at timestamptz NOT NULL,
    tried_at timestamptz,
    delivered_at timestamptz,
    last_status integer,
    last_error text,
    last_milliseconds integer,
    PRIMARY KEY (environment, endpoint, message),
    FOREIGN KEY (environment, endpoint) REFERENCES endpoints (environment, id),
    FOREIGN KEY (environment, message) REFERENCES messages (environment, id),
    CHECK ((state IN ('pending', 'sending')) = (due_at IS NOT NULL)),
    CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
    CHECK (state <> 'delivered' OR last_error IS NULL)
) WITH (fillfactor = 70);
CREATE INDEX deliveries_due ON deliveries (environment, endpoint, due_at) WHERE state IN ('pending', 'sending');
CREATE INDEX deliveries_sending ON deliveries (environment, endpoint) WHERE state = 'sending';
CREATE INDEX deliveries_given_up ON deliveries (environment, endpoint) WHERE state = 'given_up';
