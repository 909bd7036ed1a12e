-- Who may do what in governor's database. Run it as a superuser in that database after each `governor db upgrade`;
-- it may be run again at any time, and takes back whatever else was granted to these roles.
--
--   governor_owner     owns everything; nobody logs in as it. Migrations: a login that is a member of it, with
--                      `?options=-crole%3Dgovernor_owner` at the end of its GOVERNOR_DATABASE_URL.
--   governor_web       the web processes: decide, and what operators, approvers and webhooks bring over HTTP.
--   governor_worker    worker, relay, runner, cron and messenger: send, look, book, carry out runs, tell. No limits, no
--                      keys, no votes.
--   governor_operator  the command line on the host: environments, limits, keys, stops, checks.
--   governor_metrics   `governor metrics`: reads what the figures are counted from, limits and stops whole; writes nothing.
--   governor_readonly  reports and exporters: no secret, no words of people.
--
-- None but the owner can change or delete a row of audit, escalations, evidence, hold_versions, votes, resolutions or rules, and triggers stand in the
-- owner's way, too. Messages never change, and go when they are old. Passwords are not set here: `\password governor_web` in psql, and so on.

BEGIN;

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['governor_owner', 'governor_web', 'governor_worker', 'governor_operator', 'governor_metrics', 'governor_readonly']
    LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I', name);
        END IF;
        EXECUTE format('ALTER ROLE %I NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', name);
        EXECUTE format('ALTER ROLE %I %s', name, CASE name WHEN 'governor_owner' THEN 'NOLOGIN' ELSE 'LOGIN' END);
        -- Names mean what they mean in governor's schema, whatever somebody puts elsewhere.
        EXECUTE format('ALTER ROLE %I SET search_path = pg_catalog, public', name);
        -- The processes ask for less themselves; this is for whoever uses the role by hand.
        EXECUTE format('ALTER ROLE %I SET statement_timeout = %L', name,
            CASE name WHEN 'governor_owner' THEN '0' WHEN 'governor_readonly' THEN '60s' ELSE '30s' END);
        EXECUTE format('ALTER ROLE %I SET lock_timeout = ''10s''', name);
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''60s''', name);
        IF name <> 'governor_owner' THEN
            EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I', name);
            EXECUTE format('REVOKE ALL ON SCHEMA public FROM %I', name);
        END IF;
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), name);
    END LOOP;
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO governor_web, governor_worker, governor_operator, governor_metrics, governor_readonly;
GRANT USAGE, CREATE ON SCHEMA public TO governor_owner;
ALTER ROLE governor_readonly SET default_transaction_read_only = on;

DO $$
DECLARE thing record;
BEGIN
    FOR thing IN SELECT c.oid::regclass AS name FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
    LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO governor_owner', thing.name);
    END LOOP;
    FOR thing IN SELECT p.oid::regprocedure AS name FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
    LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO governor_owner', thing.name);
    END LOOP;
END $$;

-- What every process does: decide, book, and append to the trail. Each reads all of it, and deletes nothing.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO governor_web, governor_worker, governor_operator;
GRANT INSERT ON refund_requests, holds, counters, payments, evidence, external_refunds, outbox, audit
    TO governor_web, governor_worker, governor_operator;
GRANT UPDATE (mode, frozen_reason, paused_reason, halted_reason, rate_per_second, approval_seconds, late_limits, expiry_notices,
    raises_need_two, reasons_required, prove_above, type_above, undo_seconds, revision, tokens, tokens_at, history, fenced_at, audit_seq, audit_hash, audit_at) ON environments TO governor_web, governor_worker, governor_operator;
GRANT UPDATE (amount, state, updated_at, next_action, next_action_at, shown, expires_at, expiring_at, hold_version, due_at, attempts,
    first_sent_at, lease_token, lease_until, provider_reference, moved, cancel_requested_at, looks, flagged_at,
    last_reason, manual, unproven) ON refund_requests TO governor_web, governor_worker, governor_operator;
GRANT UPDATE (counter, amount, state, settled) ON holds TO governor_web, governor_worker, governor_operator;
GRANT UPDATE (reserved, settled) ON counters TO governor_web, governor_worker, governor_operator;
GRANT UPDATE (account, currency, captured, customer, livemode, refundable_status, dispute, charge, refunds, read_at, paid_at,
    method, connected, reserved, settled) ON payments TO governor_web, governor_worker, governor_operator;
GRANT UPDATE (status, capacity, request, updated_at) ON external_refunds
    TO governor_web, governor_worker, governor_operator;

-- What the provider tells: webhooks come in by the web; lists are walked by cron, and by `governor reconcile`.
GRANT INSERT, UPDATE ON provider_events TO governor_web, governor_worker, governor_operator;
GRANT INSERT, UPDATE ON provider_walks TO governor_worker, governor_operator;

-- Every process says that it lives, and forgets those that are long gone.
GRANT INSERT, UPDATE (seen_at), DELETE ON processes TO governor_web, governor_worker;

-- The relay takes out what it has rung for. A key in flight is nobody's when its request is decided.
GRANT UPDATE, DELETE ON outbox TO governor_worker;
GRANT INSERT, UPDATE, DELETE ON in_flight TO governor_web;

-- People ask for runs and cancel them; a runner carries them out, and cron removes them when they are over for long.
GRANT INSERT ON runs TO governor_web, governor_operator;
GRANT UPDATE (state, due_at, ended_at, cancel_requested_at, step, done, total, summary, files, reason) ON runs
    TO governor_web, governor_operator;
GRANT UPDATE (state, due_at, tries, started_at, ended_at, cancel_requested_at, step, done, total, summary, files,
    files_removed_at, reason) ON runs TO governor_worker;
GRANT DELETE ON runs TO governor_worker;
GRANT INSERT, DELETE ON run_files TO governor_worker;

-- Cron anchors trails, runners verify them; so does the command line.
GRANT INSERT, UPDATE ON trail_care TO governor_worker, governor_operator;

-- The messenger tells endpoints what happened. What opens an endpoint is sealed, and made by people.
GRANT INSERT, UPDATE ON tellings TO governor_worker;
GRANT INSERT, DELETE ON messages, deliveries, passed_over TO governor_worker;
GRANT UPDATE (state, tries, due_at, tried_at, delivered_at, last_status, last_error, last_milliseconds) ON deliveries
    TO governor_worker;
GRANT UPDATE (failing_since, disabled_at, disabled_reason) ON endpoints TO governor_worker;
GRANT INSERT ON endpoints TO governor_web, governor_operator;
GRANT UPDATE (target, secret, previous_secret, previous_until, rotated_at, told_since, failing_since, disabled_at,
    disabled_reason, deleted_at) ON endpoints TO governor_web, governor_operator;
GRANT UPDATE (state, tries, due_at, delivered_at, last_error) ON deliveries TO governor_web, governor_operator;

-- What people decide, over HTTP or on the host.
GRANT INSERT ON votes, hold_versions, escalations TO governor_web;
GRANT INSERT, UPDATE, DELETE ON lookers, snoozes TO governor_web;
GRANT INSERT ON payment_backgrounds TO governor_web;
GRANT UPDATE (read_at, fraud_warning, fraud_read_at, customer, customer_read_at) ON payment_backgrounds TO governor_web;
GRANT INSERT ON stand_ins TO governor_web;
GRANT UPDATE (ended_at, ended_by) ON stand_ins TO governor_web;
GRANT INSERT ON resolutions, operations TO governor_web, governor_operator;
GRANT INSERT, UPDATE ON limits, credentials, freezes TO governor_web, governor_operator;
GRANT INSERT ON rules TO governor_web, governor_operator;
GRANT INSERT ON limit_changes TO governor_web, governor_operator;
GRANT UPDATE (effective_at, decided_at, confirmed_person, confirmed_credential, confirmed_reason, confirmed_at,
    withdrawn_person, withdrawn_credential, withdrawn_reason, withdrawn_at) ON limit_changes
    TO governor_web, governor_operator;
GRANT UPDATE (limits_revision) ON environments TO governor_web, governor_operator;
GRANT INSERT ON environments TO governor_operator;

-- People sign in by the web; accounts are kept on the host. Who is granted something meanwhile is locked by both.
GRANT INSERT, DELETE ON sessions TO governor_web;
GRANT UPDATE (last_seen_at, confirmed_at, ended_at) ON sessions TO governor_web;
GRANT INSERT, DELETE ON sign_ins TO governor_web;
GRANT INSERT, UPDATE ON sign_in_tries TO governor_web;
GRANT UPDATE (password_hash, password_set_at, code_secret, codes_since, last_code_step, recovery_hashes) ON people
    TO governor_web, governor_operator;
GRANT UPDATE (name, disabled_at) ON people TO governor_operator;
GRANT INSERT ON people, identities TO governor_web, governor_operator;
GRANT DELETE ON identities TO governor_operator;
GRANT UPDATE (ended_at) ON sessions TO governor_operator;

-- Figures: counts and ages. No row about a request says what it is about or who asked. Limits, counters and environments
-- are read as every process reads them, whole: values that are counted, who changed a limit, and reasons are in them.
GRANT SELECT ON environments, limits, limit_changes, counters, provider_walks, passed_over, processes, trail_care TO governor_metrics;
GRANT SELECT (environment, id, state, amount, currency, quorum, created_at, first_sent_at, due_at, lease_until, expires_at, flagged_at)
    ON refund_requests TO governor_metrics;
GRANT SELECT (environment, source, outcome, reason, recorded_at) ON evidence TO governor_metrics;
GRANT SELECT (environment, via, received_at, tries, processed_at) ON provider_events TO governor_metrics;
GRANT SELECT (environment, seq) ON audit TO governor_metrics;
GRANT SELECT (environment, deleted_at) ON endpoints TO governor_metrics;

-- Reports: no hash of a secret, no words of people, no bodies of webhooks.
GRANT SELECT ON alembic_version, limits, rules, counters, payments, holds, evidence, outbox, in_flight, audit, provider_walks,
    external_refunds, payment_backgrounds, tellings, passed_over, messages, deliveries, processes, lookers, snoozes, stand_ins, trail_care TO governor_readonly;
GRANT SELECT (name, account, mode, halted_reason, rate_per_second, approval_seconds, late_limits, expiry_notices, raises_need_two,
    reasons_required, prove_above, type_above, undo_seconds, limits_revision, revision, history,
    fenced_at, audit_seq, audit_hash, audit_at, created_at) ON environments TO governor_readonly;
GRANT SELECT (environment, id, role, kind, agent, parent, created_at, expires_at, revoked_at, person, suspended_at)
    ON credentials TO governor_readonly;
GRANT SELECT (id, login, created_at, disabled_at, password_set_at, codes_since) ON people TO governor_readonly;
GRANT SELECT (id, person, how, created_at, last_seen_at, ended_at) ON sessions TO governor_readonly;
GRANT SELECT (issuer, person, created_at) ON identities TO governor_readonly;
GRANT SELECT (person, at, how, succeeded) ON sign_ins TO governor_readonly;
GRANT SELECT (count, last_at) ON sign_in_tries TO governor_readonly;
GRANT SELECT (environment, id, operation_key, payment, amount, asked_amount, currency, reason, "case", customer, account, requested_by,
    credentials, agent, person, state, hold, created_at, updated_at, denial, next_action, next_action_at, duplicate_of,
    limits, rules, expires_at, expiring_at, quorum, hold_version, due_at, attempts, first_sent_at, lease_token, lease_until,
    provider_reference, moved, cancel_requested_at, looks, flagged_at, last_reason, manual, unproven) ON refund_requests
    TO governor_readonly;
GRANT SELECT (environment, limit_id, id, cap, approval_above, archives, raises, effective_at, until, proposed_person,
    proposed_credential, proposed_at, decided_at, confirmed_person, confirmed_credential, confirmed_at, withdrawn_person,
    withdrawn_credential, withdrawn_at) ON limit_changes TO governor_readonly;
GRANT SELECT (environment, hold, person, credential, choice, digest, version, approves, amount, instead_of, decided_at) ON votes TO governor_readonly;
GRANT SELECT (environment, hold, version, replaced_at) ON hold_versions TO governor_readonly;
GRANT SELECT (environment, hold, person, called, credential, at) ON escalations TO governor_readonly;
GRANT SELECT (environment, request, person, credential, outcome, proposed_at) ON resolutions TO governor_readonly;
GRANT SELECT (environment, scope, key, object_id, status, created_at) ON operations TO governor_readonly;
GRANT SELECT (environment, id, type, payment, refund, happened_at, received_at, via, digest, due_at, tries, result,
    processed_at) ON provider_events TO governor_readonly;
GRANT SELECT (environment, id, scope, value, frozen_person, frozen_credential, frozen_at, proposed_person,
    proposed_credential, proposed_at, ended_person, ended_credential, ended_at) ON freezes TO governor_readonly;
GRANT SELECT (environment, id, kind, state, asked_by, person, asked_at, due_at, tries, started_at, ended_at,
    cancel_requested_at, step, done, total, files, files_removed_at, reason) ON runs TO governor_readonly;
GRANT SELECT (environment, run, name, part) ON run_files TO governor_readonly;
GRANT SELECT (environment, id, kind, place, previous_until, rotated_at, types, created_at, told_since, failing_since,
    disabled_at, disabled_reason, deleted_at) ON endpoints TO governor_readonly;

COMMIT;
