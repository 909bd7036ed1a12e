"""The statements of runs. Whoever carries one out writes only while it is theirs: `tries` is what tells."""

from sqlalchemy import text

RUN = text("SELECT to_jsonb(r) FROM runs r WHERE environment = :env AND id = :id")
RUN_KEPT = text("SELECT to_jsonb(r) FROM runs r WHERE environment = :env AND id = :id FOR UPDATE")
RUNS = text("""
    SELECT to_jsonb(r) FROM runs r WHERE environment = :env
        AND (CAST(:asked_by AS text) IS NULL OR asked_by = :asked_by) AND (CAST(:kind AS text) IS NULL OR kind = :kind)
        AND (CAST(:after AS text) IS NULL OR id < :after)
    ORDER BY id DESC LIMIT :at_most""")
UNFINISHED = text("""
    SELECT count(*) FROM runs WHERE environment = :env AND person = :person AND due_at IS NOT NULL""")
ADD_RUN = text("""
    INSERT INTO runs (environment, id, kind, parameters, state, asked_by, person, asked_at, due_at)
    VALUES (:env, :id, :kind, CAST(:parameters AS jsonb), 'waiting', :asked_by, :person, :asked_at, :due_at)""")
SAVE_RUN = text("""
    UPDATE runs SET state = :state, due_at = :due_at, ended_at = :ended_at, cancel_requested_at = :cancel_requested_at,
        step = :step, done = :done, total = :total, summary = CAST(:summary AS jsonb), files = CAST(:files AS jsonb),
        reason = :reason
    WHERE environment = :env AND id = :id""")

_FREE = """(r.state = 'running' OR NOT EXISTS (SELECT 1 FROM runs other
            WHERE other.environment = r.environment AND other.kind = r.kind AND other.state = 'running'))"""
"""None of its kind runs beside it: one that runs and is due has lost its lease."""

CLAIM = text(f"""
    WITH due AS MATERIALIZED (
        SELECT environment, id FROM runs r WHERE due_at <= :now AND kind = ANY(:kinds) AND {_FREE}
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE runs r SET state = 'running', tries = tries + 1, due_at = :until, started_at = coalesce(started_at, :now),
        step = NULL, done = 0, total = NULL
    FROM due WHERE r.environment = due.environment AND r.id = due.id
    RETURNING to_jsonb(r)""")  # noqa: S608  a constant
WAITS_SINCE = text(f"SELECT min(due_at) FROM runs r WHERE {_FREE}")  # noqa: S608  a constant
DROP_PARTS = text("DELETE FROM run_files WHERE environment = :env AND run = :id")
BEAT = text("""
    UPDATE runs r SET due_at = :until, step = :step, done = :done, total = :total
    WHERE environment = :env AND id = :id AND tries = :tries AND state = 'running'
    RETURNING to_jsonb(r)""")
PUT_BACK = text("""
    UPDATE runs SET state = 'waiting', due_at = :due_at
    WHERE environment = :env AND id = :id AND tries = :tries AND state = 'running'""")
ADD_PART = text("""
    INSERT INTO run_files (environment, run, name, part, content)
    SELECT environment, id, :name, :number, :content FROM (
        SELECT environment, id FROM runs
        WHERE environment = :env AND id = :id AND tries = :tries AND state = 'running' FOR SHARE) mine
    RETURNING 1""")
"""The lock keeps the run from being begun anew before the part is there to be dropped by whoever begins it."""

PART = text("""
    SELECT content FROM run_files WHERE environment = :env AND run = :id AND name = :name AND part = :number""")

FORGET = text("""
    DELETE FROM runs WHERE (environment, id) IN (
        SELECT environment, id FROM runs WHERE ended_at < :before ORDER BY ended_at LIMIT 50)""")
TOO_MUCH = text("""
    WITH sizes AS (
        SELECT environment, run, sum(octet_length(content)) AS stored FROM run_files GROUP BY environment, run),
    sums AS (
        SELECT environment, run, sum(stored) OVER (PARTITION BY environment ORDER BY run DESC) AS so_far FROM sizes),
    removed AS (
        UPDATE runs r SET files_removed_at = :now FROM sums s
        WHERE r.environment = s.environment AND r.id = s.run AND r.due_at IS NULL AND s.so_far > :most
        RETURNING r.environment, r.id)
    DELETE FROM run_files f USING removed WHERE f.environment = removed.environment AND f.run = removed.id""")
