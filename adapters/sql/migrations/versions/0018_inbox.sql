-- What approvers tell one another of holds that wait. None of it is part of what is decided. Times are UTC.

-- Who has said that they are looking at a hold. Rows whose time is over mean nothing, and are removed by the next.
CREATE TABLE lookers (
    environment text NOT NULL REFERENCES environments,
    hold text NOT NULL,
    person text NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (environment, hold),
    CHECK (since < until)
);

-- What an approver has snoozed: it is hidden from what waits for them. Rows whose time is over mean nothing, and are removed by the next.
CREATE TABLE snoozes (
    environment text NOT NULL REFERENCES environments,
    hold text NOT NULL,
    person text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (environment, hold, person)
);

-- Calls for another approver (`called`), or for all operators (''): one by each person to each.
CREATE TABLE escalations (
    environment text NOT NULL REFERENCES environments,
    hold text NOT NULL,
    person text NOT NULL,
    called text NOT NULL CHECK (called <> person),
    credential text NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (environment, hold, person, called)
);
CREATE TRIGGER escalations_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON escalations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
