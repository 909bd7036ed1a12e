-- What a limit counts never changes; what it allows is a series of changes (governor.domain.limit_changes). Times are UTC.

-- Undecided while it waits for a second person; what is said of it is added, and what it wants never changes.
CREATE TABLE limit_changes (
    environment text NOT NULL,
    limit_id text NOT NULL,
    id text NOT NULL CHECK (id LIKE 'chg\_%'),
    cap bigint NOT NULL CHECK (cap >= 0),
    approval_above bigint CHECK (approval_above >= 0),
    archives boolean NOT NULL,
    raises boolean NOT NULL,
    effective_at timestamptz NOT NULL,
    until timestamptz CHECK (until > effective_at),
    proposed_person text NOT NULL,
    proposed_credential text NOT NULL,
    proposed_reason text NOT NULL CHECK (length(proposed_reason) <= 2000),
    proposed_at timestamptz NOT NULL,
    decided_at timestamptz,
    confirmed_person text,
    confirmed_credential text,
    confirmed_reason text CHECK (length(confirmed_reason) <= 2000),
    confirmed_at timestamptz,
    withdrawn_person text,
    withdrawn_credential text,
    withdrawn_reason text CHECK (length(withdrawn_reason) <= 2000),
    withdrawn_at timestamptz,
    PRIMARY KEY (environment, id),
    FOREIGN KEY (environment, limit_id) REFERENCES limits (environment, id),
    CHECK (NOT archives OR until IS NULL),
    CHECK (num_nulls(confirmed_person, confirmed_credential, confirmed_reason, confirmed_at) IN (0, 4)),
    CHECK (num_nulls(withdrawn_person, withdrawn_credential, withdrawn_reason, withdrawn_at) IN (0, 4)),
    CHECK (confirmed_person IS NULL OR (confirmed_person <> proposed_person AND decided_at IS NOT NULL))
);
CREATE INDEX limit_changes_series ON limit_changes (environment, limit_id, effective_at);

-- Each limit begins with a change for good; a tally has no cap, and so no changes.
INSERT INTO limit_changes (environment, limit_id, id, cap, approval_above, archives, raises, effective_at,
    proposed_person, proposed_credential, proposed_reason, proposed_at, decided_at)
SELECT environment, id, 'chg_' || substr(id, 5), cap, approval_above, false, false, created_at, 'host', 'host',
    'stood before changes were kept', created_at, created_at FROM limits
WHERE NOT tally;
ALTER TABLE limits DROP COLUMN cap, DROP COLUMN approval_above,
    ADD CHECK (NOT tally OR (value IS NULL AND "window" <> 'request'));

-- Whatever allows more takes two people; whoever changes a limit says why.
ALTER TABLE environments
    ADD COLUMN raises_need_two boolean NOT NULL DEFAULT false,
    ADD COLUMN reasons_required boolean NOT NULL DEFAULT false;
