-- Approval rules, the tallies they read, and which of them fired for each request. Amounts are minor units, times UTC.

-- A tally counts like a limit and denies nobody: a rule reads what adds up.
ALTER TABLE limits ADD COLUMN tally boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT tally OR (value IS NULL AND approval_above IS NULL AND "window" <> 'request'));

-- One row for each revision of a rule, kept for ever: a past decision is explained by the revision it names.
CREATE TABLE rules (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL CHECK (id LIKE 'rule\_%'),
    revision bigint NOT NULL CHECK (revision >= 1),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 128),
    mode text NOT NULL CHECK (mode IN ('enforce', 'dry_run')),
    starts_at timestamptz,
    "when" jsonb NOT NULL CHECK (jsonb_typeof("when") = 'object'),
    "then" jsonb NOT NULL CHECK ("then" ->> 'effect' IN ('allow', 'approval', 'deny')),
    tally text,
    archived boolean NOT NULL,
    written_by text NOT NULL,
    written_at timestamptz NOT NULL,
    PRIMARY KEY (environment, id, revision),
    FOREIGN KEY (environment, tally) REFERENCES limits (environment, id),
    CHECK (("when" ? 'cumulative') = (tally IS NOT NULL)),
    CHECK ("then" ->> 'effect' <> 'approval' OR ("then" ->> 'quorum')::integer BETWEEN 1 AND 5)
);
CREATE TRIGGER rules_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rules
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The rules that fired when a request was decided, each at its revision, with its arithmetic.
ALTER TABLE refund_requests ADD COLUMN rules jsonb NOT NULL DEFAULT '[]';

-- When the charge was made; facts that were read before do not say.
ALTER TABLE payments ADD COLUMN paid_at timestamptz;

-- Whether a customer has had a refund before.
CREATE INDEX refund_requests_refunded ON refund_requests (environment, customer) WHERE state = 'succeeded';
CREATE INDEX external_refunds_customer ON external_refunds (environment, customer) WHERE customer IS NOT NULL;
