-- People: accounts, memberships, sessions. They belong to no environment; what they may do in one is a membership: a
-- credential without a key. Times are UTC.

CREATE TABLE people (
    id text PRIMARY KEY CHECK (id LIKE 'usr\_%'),
    login text NOT NULL UNIQUE CHECK (login ~ '^[a-z0-9][a-z0-9._-]{1,63}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 128),
    created_at timestamptz NOT NULL,
    disabled_at timestamptz,
    password_hash text CHECK (password_hash LIKE '$argon2id$%'),
    password_set_at timestamptz,
    -- The authenticator's secret is sealed; codes are asked for once one was shown to be right.
    code_secret bytea,
    codes_since timestamptz,
    last_code_step bigint NOT NULL DEFAULT 0,
    recovery_hashes text[] NOT NULL DEFAULT '{}',
    CHECK ((password_hash IS NULL) = (password_set_at IS NULL)),
    CHECK (codes_since IS NULL OR code_secret IS NOT NULL)
);

-- `suspended_at` repeats the person's disabled_at where every decision looks: at the credential.
ALTER TABLE credentials
    ALTER COLUMN secret_hash DROP NOT NULL,
    ADD COLUMN person text REFERENCES people,
    ADD COLUMN suspended_at timestamptz,
    ADD CONSTRAINT credentials_membership CHECK ((person IS NULL) = (secret_hash IS NOT NULL)
        AND (person IS NULL OR (kind = 'human' AND parent IS NULL AND rotated_at IS NULL))
        AND (suspended_at IS NULL OR person IS NOT NULL));
CREATE INDEX credentials_person ON credentials (person) WHERE person IS NOT NULL;
CREATE UNIQUE INDEX credentials_one_of_a_role ON credentials (environment, person, role)
    WHERE person IS NOT NULL AND revoked_at IS NULL;

CREATE TABLE sessions (
    id text PRIMARY KEY CHECK (id LIKE 'ses\_%'),
    token_hash text NOT NULL UNIQUE CHECK (length(token_hash) = 64),
    person text NOT NULL REFERENCES people,
    how text NOT NULL CHECK (how IN ('password', 'oidc')),
    address text NOT NULL,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    confirmed_at timestamptz NOT NULL,
    ended_at timestamptz,
    -- The way to the identity provider and back that led here: nobody comes in twice by the same one.
    trip text UNIQUE CHECK (length(trip) = 64),
    CHECK ((how = 'oidc') = (trip IS NOT NULL))
);
CREATE INDEX sessions_person ON sessions (person, id);

-- Who somebody is elsewhere. Names and e-mail addresses there are nobody's identity: they can change hands.
CREATE TABLE identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    person text NOT NULL REFERENCES people,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_person ON identities (person);

-- The last tries to sign in. `person` is '' where the login was nobody's: what was typed there may be a password.
CREATE TABLE sign_ins (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person text NOT NULL,
    at timestamptz NOT NULL,
    how text NOT NULL CHECK (how IN ('password', 'oidc')),
    address text NOT NULL,
    succeeded boolean NOT NULL
);
CREATE INDEX sign_ins_person ON sign_ins (person, id);

-- Places are hashes of 16 bits a kind, so that strangers cannot make the table grow.
CREATE TABLE sign_in_tries (
    place text PRIMARY KEY CHECK (length(place) < 32),
    count integer NOT NULL CHECK (count >= 0),
    last_at timestamptz NOT NULL
);
