-- Long work that somebody asked for and may leave: what it is, how far it has come, and what came of it. Times are UTC.

-- `due_at` is when it may be begun; while it runs, when its lease ends. `tries` is how often it was begun.
CREATE TABLE runs (
    environment text NOT NULL REFERENCES environments,
    id text NOT NULL CHECK (id LIKE 'run\_%'),
    kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,32}$'),
    parameters jsonb NOT NULL CHECK (jsonb_typeof(parameters) = 'object'),
    state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'canceled', 'interrupted')),
    asked_by text NOT NULL,
    person text NOT NULL,
    asked_at timestamptz NOT NULL,
    due_at timestamptz,
    tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    started_at timestamptz,
    ended_at timestamptz,
    cancel_requested_at timestamptz,
    step text CHECK (length(step) <= 200),
    done bigint NOT NULL DEFAULT 0 CHECK (done >= 0),
    total bigint CHECK (total >= 0),
    summary jsonb CHECK (jsonb_typeof(summary) = 'object'),
    files jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(files) = 'array'),
    files_removed_at timestamptz,
    reason text,
    PRIMARY KEY (environment, id),
    CHECK ((due_at IS NOT NULL) = (state IN ('waiting', 'running'))),
    CHECK ((ended_at IS NOT NULL) = (due_at IS NULL)),
    CHECK (state <> 'running' OR (started_at IS NOT NULL AND tries > 0)),
    CHECK ((summary IS NOT NULL) = (state = 'done')),
    CHECK ((reason IS NOT NULL) = (state IN ('failed', 'interrupted')))
);
-- Of each kind, one at a time.
CREATE UNIQUE INDEX runs_running ON runs (environment, kind) WHERE state = 'running';
CREATE INDEX runs_due ON runs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;

-- The files that runs make, in compressed parts.
CREATE TABLE run_files (
    environment text NOT NULL,
    run text NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    part integer NOT NULL CHECK (part >= 0),
    content bytea NOT NULL,
    PRIMARY KEY (environment, run, name, part),
    FOREIGN KEY (environment, run) REFERENCES runs ON DELETE CASCADE
);
ALTER TABLE run_files ALTER COLUMN content SET STORAGE EXTERNAL;
