"""The statements about people, their sessions and their tries to sign in."""

from __future__ import annotations

from sqlalchemy import text

_PERSON = "SELECT to_jsonb(p) FROM people p"
BY_LOGIN = text(f"{_PERSON} WHERE login = :login")
BY_ID = text(f"{_PERSON} WHERE id = :person")
PEOPLE = text(f"{_PERSON} ORDER BY login")
MEMBERS = text("SELECT to_jsonb(c) FROM credentials c WHERE person = :person ORDER BY environment, id")
ADD_PERSON = text("""
    INSERT INTO people (id, login, name, created_at, password_hash, password_set_at)
    VALUES (:id, :login, :name, :created_at, :password_hash, :password_set_at)
    ON CONFLICT (login) DO NOTHING RETURNING id""")
RENAME = text("UPDATE people SET name = :name WHERE id = :person")
RENAME_MEMBERS = text("UPDATE credentials SET name = :name WHERE person = :person")
SET_PASSWORD = text(
    "UPDATE people SET password_hash = :password_hash, password_set_at = :now WHERE id = :person"
)
CHANGE_PASSWORD = text("""
    UPDATE people SET password_hash = :password_hash, password_set_at = :now
    WHERE id = :person AND disabled_at IS NULL AND password_set_at = :seen RETURNING id""")
REHASH = text("""
    UPDATE people SET password_hash = :password_hash WHERE id = :person AND password_hash = :before""")

JOIN_LINES = text("""
    SELECT name FROM environments
    WHERE name IN (SELECT environment FROM credentials WHERE person = :person)
    ORDER BY name FOR NO KEY UPDATE""")
"""The lines of a person's environments, in one order: what they decide comes before the end of their rights, or not
at all, as with a key that is revoked."""
SET_DISABLED = text("UPDATE people SET disabled_at = :at WHERE id = :person")
SUSPEND = text("UPDATE credentials SET suspended_at = :at WHERE person = :person")

SET_CODES = text("""
    UPDATE people SET code_secret = :secret, codes_since = :since, recovery_hashes = :recovery
    WHERE id = :person""")
USE_STEP = text("""
    UPDATE people SET last_code_step = :step WHERE id = :person AND last_code_step < :step RETURNING id""")
USE_RECOVERY = text("""
    UPDATE people SET recovery_hashes = array_remove(recovery_hashes, :code)
    WHERE id = :person AND :code = ANY(recovery_hashes) RETURNING id""")

BY_IDENTITY = text("""
    SELECT to_jsonb(p) FROM identities i JOIN people p ON p.id = i.person
    WHERE i.issuer = :issuer AND i.subject = :subject""")
IDENTITIES = text("SELECT to_jsonb(i) FROM identities i WHERE person = :person ORDER BY issuer, subject")
LINK = text("""
    INSERT INTO identities (issuer, subject, person, created_at) VALUES (:issuer, :subject, :person, :now)
    ON CONFLICT (issuer, subject) DO NOTHING RETURNING person""")
UNLINK = text("DELETE FROM identities WHERE person = :person")
NAME_IN_USE = text("""
    SELECT to_jsonb(login) FROM people WHERE login = :name
    UNION ALL SELECT to_jsonb(id) FROM credentials WHERE owner = :name OR agent = :name""")

HOLD_PERSON = text("SELECT id FROM people WHERE id = :person FOR NO KEY UPDATE")
AS_PROVED = text("""
    SELECT id FROM people
    WHERE id = :person AND disabled_at IS NULL AND password_set_at IS NOT DISTINCT FROM :password_set_at FOR SHARE""")
"""Whoever disables them, changes the password or takes their identity back meanwhile waits for the session that follows,
and ends it; or comes first, and there is none."""
ADD_SESSION = text("""
    WITH forgotten AS (
        DELETE FROM sessions WHERE person = :person AND id <= (
            SELECT id FROM sessions WHERE person = :person ORDER BY id DESC OFFSET 49 LIMIT 1))
    INSERT INTO sessions (id, token_hash, person, how, address, created_at, last_seen_at, confirmed_at, trip)
    SELECT :id, :token_hash, :person, :how, :address, :created_at, :last_seen_at, :confirmed_at, :trip
    WHERE CAST(:issuer AS text) IS NULL OR EXISTS (
        SELECT 1 FROM identities WHERE issuer = :issuer AND subject = :subject AND person = :person)
    ON CONFLICT (trip) DO NOTHING RETURNING id""")
"""A statement of its own, behind the lock: it sees what whoever held that has done."""
SESSION = text("""
    SELECT jsonb_build_object('session', to_jsonb(s),
        'person', (SELECT to_jsonb(p) FROM people p WHERE p.id = s.person),
        'members', ARRAY(SELECT to_jsonb(c) FROM credentials c WHERE c.person = s.person ORDER BY environment, id))
    FROM sessions s WHERE s.token_hash = :token_hash""")
SESSIONS = text("""
    SELECT to_jsonb(s) FROM sessions s
    WHERE person = :person AND ended_at IS NULL AND last_seen_at > :since ORDER BY id DESC""")
NOTE_SEEN = text("UPDATE sessions SET last_seen_at = :now WHERE id = :id AND last_seen_at < :now")
NOTE_CONFIRMED = text("UPDATE sessions SET confirmed_at = :now WHERE id = :id")
END_SESSION = text("UPDATE sessions SET ended_at = :now WHERE id = :id AND ended_at IS NULL")
END_SESSIONS = text("""
    UPDATE sessions SET ended_at = :now
    WHERE person = :person AND ended_at IS NULL AND id IS DISTINCT FROM :keep""")
END_SESSIONS_FROM_ELSEWHERE = text("""
    UPDATE sessions SET ended_at = :now WHERE person = :person AND ended_at IS NULL AND how = 'oidc'""")

NOTE_SIGN_IN = text("""
    WITH forgotten AS (
        DELETE FROM sign_ins WHERE person = :person AND id <= (
            SELECT id FROM sign_ins WHERE person = :person ORDER BY id DESC OFFSET 49 LIMIT 1))
    INSERT INTO sign_ins (person, at, how, address, succeeded) VALUES (:person, :at, :how, :address, :succeeded)""")
SIGN_INS = text("SELECT to_jsonb(s) FROM sign_ins s WHERE person = :person ORDER BY id DESC LIMIT 50")

PLACES = text("""
    INSERT INTO sign_in_tries SELECT place, 0, :now FROM unnest(CAST(:places AS text[])) AS p(place) ORDER BY place
    ON CONFLICT (place) DO NOTHING""")
TRIES = text("""
    SELECT to_jsonb(t) FROM sign_in_tries t WHERE place = ANY(:places) ORDER BY place FOR NO KEY UPDATE""")
COUNT_TRY = text("UPDATE sign_in_tries SET count = :count, last_at = :last_at WHERE place = :place")
FORGET_TRIES = text("""
    WITH mine AS MATERIALIZED (
        SELECT place FROM sign_in_tries WHERE place = ANY(:places) OR place = :one_of ORDER BY place FOR NO KEY UPDATE)
    UPDATE sign_in_tries SET count = CASE WHEN place = :one_of THEN greatest(count - 1, 0) ELSE 0 END
    WHERE place = ANY(ARRAY(SELECT place FROM mine))""")
"""In the order in which tries are counted: whoever signs in from two places at once waits, and for nobody who waits."""
