-- Who may do what: freezes, keys that are replaced with an overlap, approvers' own amounts. Times are UTC.

-- One person stops; the first of two people who start again is `proposed`, the second `ended`.
CREATE TABLE freezes (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL CHECK (id LIKE 'frz\_%'),
    scope text NOT NULL CHECK (scope IN ('environment', 'credential', 'payment', 'customer')),
    value text,
    frozen_person text NOT NULL,
    frozen_credential text NOT NULL,
    frozen_reason text NOT NULL CHECK (length(frozen_reason) BETWEEN 1 AND 2000),
    frozen_at timestamptz NOT NULL,
    proposed_person text,
    proposed_credential text,
    proposed_reason text CHECK (length(proposed_reason) BETWEEN 1 AND 2000),
    proposed_at timestamptz,
    ended_person text,
    ended_credential text,
    ended_reason text CHECK (length(ended_reason) BETWEEN 1 AND 2000),
    ended_at timestamptz,
    PRIMARY KEY (environment, id),
    CHECK ((scope = 'environment') = (value IS NULL)),
    CHECK (num_nulls(proposed_person, proposed_credential, proposed_reason, proposed_at) IN (0, 4)),
    CHECK (num_nulls(ended_person, ended_credential, ended_reason, ended_at) IN (0, 4)),
    CHECK (ended_person IS NULL OR (proposed_person IS NOT NULL AND ended_person <> proposed_person))
);
-- The few that stand; what has ended is history and is in nobody's way.
CREATE UNIQUE INDEX freezes_standing ON freezes (environment, scope, coalesce(value, '')) WHERE ended_at IS NULL;

-- What an approver may approve at once; the secret before the last rotation and until when it opens; when it was last
-- used, to the minute; why it was revoked.
ALTER TABLE credentials
    ADD COLUMN approve_up_to jsonb CHECK (jsonb_typeof(approve_up_to) = 'object'),
    ADD COLUMN rotated_at timestamptz,
    ADD COLUMN previous_hash text CHECK (length(previous_hash) = 64),
    ADD COLUMN previous_until timestamptz,
    ADD COLUMN last_used_at timestamptz,
    ADD COLUMN revoked_reason text CHECK (length(revoked_reason) BETWEEN 1 AND 2000),
    ADD CHECK (num_nulls(rotated_at, previous_hash, previous_until) IN (0, 3)),
    ADD CHECK (revoked_reason IS NULL OR revoked_at IS NOT NULL),
    ADD CHECK (approve_up_to IS NULL OR role = 'approver'),
    -- Whoever delegates is an agent, and so is every child (governor.domain.delegation).
    ADD CONSTRAINT credentials_child CHECK (parent IS NULL OR (role = 'agent' AND parent <> id));
CREATE INDEX credentials_children ON credentials (environment, parent) WHERE parent IS NOT NULL;
