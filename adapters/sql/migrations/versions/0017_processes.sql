-- Which processes say that they live, every ten seconds. Of no environment; who stops takes its row away. Times are UTC.
CREATE TABLE processes (
    id text PRIMARY KEY CHECK (id LIKE 'proc\_%'),
    kind text NOT NULL CHECK (kind IN ('web', 'relay', 'worker', 'cron', 'runner', 'messenger')),
    host text NOT NULL CHECK (length(host) BETWEEN 1 AND 255),
    pid integer NOT NULL CHECK (pid > 0),
    version text NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);
