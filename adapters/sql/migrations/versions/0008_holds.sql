-- What approvers can do: approve less, return with a question; and what a hold has shown before. Amounts are minor
-- units, times UTC.

-- What was asked for stays known where less was approved.
ALTER TABLE refund_requests ADD COLUMN asked_amount bigint;
UPDATE refund_requests SET asked_amount = amount;
ALTER TABLE refund_requests ALTER COLUMN asked_amount SET NOT NULL, ADD CHECK (asked_amount >= amount);

-- A person says one thing of one version, and may still say no after a yes. `approves` is the digest of the version
-- that an approval is for: of the one it makes itself, where less is approved.
ALTER TABLE votes DISABLE TRIGGER votes_append_only;
ALTER TABLE votes ADD COLUMN approves text, ADD COLUMN amount bigint;
UPDATE votes v SET approves = v.digest, amount = r.amount FROM refund_requests r
    WHERE v.choice = 'approve' AND r.environment = v.environment AND r.hold = v.hold;
ALTER TABLE votes DROP CONSTRAINT votes_pkey, DROP CONSTRAINT votes_choice_check,
    ADD PRIMARY KEY (environment, hold, person, version, choice),
    ADD CHECK (choice IN ('approve', 'approve_less', 'return', 'reject')),
    ADD CHECK (choice IN ('approve', 'approve_less') = (approves IS NOT NULL)),
    ADD CHECK ((approves IS NULL) = (amount IS NULL)),
    ADD CHECK (amount > 0);
ALTER TABLE votes ENABLE TRIGGER votes_append_only;
-- One approval of one version by one person, whatever made it.
CREATE UNIQUE INDEX votes_approving ON votes (environment, hold, person, approves);

-- What approvers saw before: the version that stands is with the request.
CREATE TABLE hold_versions (
    environment text NOT NULL,
    hold text NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    shown jsonb NOT NULL,
    replaced_at timestamptz NOT NULL,
    PRIMARY KEY (environment, hold, version)
);
CREATE TRIGGER hold_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hold_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
