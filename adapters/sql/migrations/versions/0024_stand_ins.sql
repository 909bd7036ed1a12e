-- `stand_in` approves in the place of `away`, both by login (governor.domain.stand_ins). Times are UTC.
CREATE TABLE stand_ins (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL CHECK (id LIKE 'sti\_%'),
    away text NOT NULL,
    stand_in text NOT NULL CHECK (stand_in <> away),
    begins_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL CHECK (ends_at > begins_at),
    credential text NOT NULL,
    named_at timestamptz NOT NULL,
    ended_at timestamptz,
    ended_by text,
    PRIMARY KEY (environment, id),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
CREATE INDEX stand_ins_standing ON stand_ins (environment, ends_at) WHERE ended_at IS NULL;

-- In whose places an approval was given beside the voter's own: what it counted for is part of the vote.
ALTER TABLE votes
    ADD COLUMN instead_of text[] NOT NULL DEFAULT '{}',
    ADD CHECK (instead_of = '{}' OR approves IS NOT NULL);
