"""The statements of the inbox. None waits for the environment's line: storing an event does not wait for decisions."""

from sqlalchemy import text

KEEP_EVENTS = text("""
    INSERT INTO provider_events AS known (environment, id, type, payment, refund, key, happened_at, received_at, via,
        digest, body, due_at)
    SELECT :env, g.id, g.type, g.payment, g.refund, g.key, g.happened_at, :now,
        CASE WHEN g.body IS NULL THEN 'poll' ELSE 'webhook' END, g.digest, g.body, :now
    FROM unnest(CAST(:id AS text[]), CAST(:type AS text[]), CAST(:payment AS text[]), CAST(:refund AS text[]),
        CAST(:key AS text[]), CAST(:happened_at AS timestamptz[]), CAST(:digest AS text[]), CAST(:body AS bytea[]))
        AS g(id, type, payment, refund, key, happened_at, digest, body)
    ON CONFLICT (environment, id) DO UPDATE SET digest = known.digest WHERE false
    RETURNING 1""")
"""Keep what is new. An event that is there already stays as it is, but its row is locked, which `DO NOTHING` would
not do: so the commit waits for the standby, and says when it did not hear of it, even if the commit of the first
delivery did not wait to the end."""

EVENT_DIGEST = text("SELECT digest FROM provider_events WHERE environment = :env AND id = :id")
EVENT_DUE = text("""
    SELECT id FROM provider_events WHERE environment = :env AND processed_at IS NULL AND due_at <= :now
    ORDER BY due_at LIMIT 1""")
TAKE_EVENTS = text("""
    WITH due AS MATERIALIZED (
        SELECT id FROM provider_events WHERE environment = :env AND processed_at IS NULL AND due_at <= :now
        ORDER BY due_at LIMIT :at_most FOR UPDATE SKIP LOCKED)
    UPDATE provider_events e SET tries = tries + 1,
        due_at = CAST(:now AS timestamptz) + least(interval '1 minute' * 2 ^ least(tries, 10), interval '1 hour')
    WHERE environment = :env AND id = ANY(ARRAY(SELECT id FROM due))
    RETURNING id, type, payment, refund, key, happened_at""")
"""A lease of a minute, of twice as long each time an event was not done, and of an hour for ever after."""

EVENTS_DONE = text("""
    UPDATE provider_events SET processed_at = :now, result = :result, due_at = NULL, body = NULL
    WHERE environment = :env AND id = ANY(:ids) AND due_at IS NOT NULL""")
"""What was read before stays as it was. Not `processed_at IS NULL`, which would invite a walk of all that is due."""

EVENTS_UNREAD = text("""
    SELECT count(*), min(received_at) FROM provider_events
    WHERE environment = :env AND processed_at IS NULL AND tries >= :tries""")
EVENT_ENVIRONMENT = text("""
    SELECT e.name FROM environments e CROSS JOIN LATERAL (
        SELECT due_at FROM provider_events p WHERE p.environment = e.name AND p.id = :id LIMIT 1) received
    ORDER BY received.due_at NULLS LAST LIMIT 1""")

WALK = text("SELECT until, walked_at, tried_at FROM provider_walks WHERE environment = :env AND list = :list")
TRIED = text("""
    INSERT INTO provider_walks (environment, list, tried_at) VALUES (:env, :list, :begun)
    ON CONFLICT (environment, list) DO UPDATE SET tried_at = excluded.tried_at""")
WALKED = text("""
    INSERT INTO provider_walks (environment, list, until, walked_at, tried_at) VALUES (:env, :list, :until, :begun, :begun)
    ON CONFLICT (environment, list) DO UPDATE SET walked_at = greatest(provider_walks.walked_at, excluded.walked_at),
        until = greatest(provider_walks.until, excluded.until)""")
