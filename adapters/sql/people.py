"""People in the database (governor.ports.people)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, TextClause, text

from adapters.sql import people_statements as sql
from adapters.sql import rows
from adapters.sql.execute import record, records
from adapters.sql.people_rows import known_from, person_from, session_from
from adapters.sql.unit_of_work import answered, commit
from governor.domain.credentials import Credential
from governor.domain.people import How, Person, Proofs, Session
from governor.domain.tries import Allowance, Tries, one_more
from governor.ports.identity import Identity
from governor.ports.people import SignInTried


class SqlPeople:
    """`governor.ports.people.PeopleStore` on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")

    def by_login(self, login: str) -> tuple[Person, Proofs] | None:
        """A person by login."""
        return known_from(self._row(sql.BY_LOGIN, login=login))

    def by_id(self, person_id: str) -> tuple[Person, Proofs] | None:
        """A person by id."""
        return known_from(self._row(sql.BY_ID, person=person_id))

    def people(self) -> tuple[Person, ...]:
        """Everybody, by login."""
        return tuple(map(person_from, self._rows(sql.PEOPLE)))

    def members(self, person_id: str) -> tuple[Credential, ...]:
        """Every membership that a person was ever granted, by environment, oldest first."""
        return tuple(map(rows.credential_from, self._rows(sql.MEMBERS, person=person_id)))

    def add(self, person: Person, password_hash: str | None, identity: tuple[str, str] | None = None) -> bool:
        """A new person, with the issuer and subject they are elsewhere; False when login or identity is somebody's."""
        with self._committed() as connection:
            given = {**vars(person), "password_hash": password_hash}
            added = connection.execute(sql.ADD_PERSON, given).first() is not None
            if added and identity is not None:
                linked = _link(person.id, *identity, person.created_at)
                added = connection.execute(sql.LINK, linked).first() is not None
            if not added:
                connection.rollback()
            return added

    def rename(self, person_id: str, name: str) -> None:
        """Another name for people to read."""
        asked = {"person": person_id, "name": name}
        self._do((sql.RENAME, asked), (sql.RENAME_MEMBERS, asked))

    def set_password(self, person_id: str, password_hash: str, now: datetime) -> None:
        """Another password, whatever stood before; all sessions end."""
        self._do(
            (sql.SET_PASSWORD, {"person": person_id, "password_hash": password_hash, "now": now}),
            (sql.END_SESSIONS, {"person": person_id, "now": now, "keep": None}),
        )

    def change_password(self, person: Person, password_hash: str, now: datetime, keep: str) -> bool:
        """Another password of `person` as they were when they proved who they are; all sessions but `keep` end.

        False when they were disabled or got another password since then: nothing is changed.
        """
        given = {"person": person.id, "password_hash": password_hash, "now": now}
        with self._committed() as connection:
            seen = given | {"seen": person.password_set_at}
            changed = connection.execute(sql.CHANGE_PASSWORD, seen).first() is not None
            if changed:
                connection.execute(sql.END_SESSIONS, {"person": person.id, "now": now, "keep": keep})
        return changed

    def rehash(self, person_id: str, before: str, password_hash: str) -> None:
        """The same password, kept as passwords are kept now; nothing when another one stands in place of `before`."""
        self._do((sql.REHASH, {"person": person_id, "before": before, "password_hash": password_hash}))

    def disable(self, person_id: str, now: datetime) -> None:
        """All sessions end and no membership opens anything, from the commit on, in every environment."""
        self._set_disabled(
            person_id, now, (sql.END_SESSIONS, {"person": person_id, "now": now, "keep": None})
        )

    def enable(self, person_id: str) -> None:
        """They may sign in again, and their memberships count again."""
        self._set_disabled(person_id, None)

    def _set_disabled(
        self, person_id: str, at: datetime | None, *beside: tuple[TextClause, dict[str, Any]]
    ) -> None:
        asked = {"person": person_id, "at": at}
        # The person first: a membership that is granted meanwhile waits for that, and is suspended like the others.
        self._do(
            (sql.JOIN_LINES, {"person": person_id}),
            (sql.SET_DISABLED, asked),
            (sql.SUSPEND, asked),
            *beside,
        )

    def set_codes(
        self, person_id: str, secret: bytes | None, since: datetime | None, recovery: Sequence[str]
    ) -> None:
        """Another secret for one-time codes, asked for `since` then (None: not yet), with hashes of recovery codes."""
        asked = {"person": person_id, "secret": secret, "since": since, "recovery": list(recovery)}
        self._do((sql.SET_CODES, asked))

    def use_step(self, person_id: str, step: int) -> bool:
        """Use up the code of a step and all before it; False when that was done already."""
        return self._done(sql.USE_STEP, person=person_id, step=step)

    def use_recovery(self, person_id: str, code_hash: str) -> bool:
        """Use up a recovery code; False when it is none of the person's."""
        return self._done(sql.USE_RECOVERY, person=person_id, code=code_hash)

    def by_identity(self, issuer: str, subject: str) -> Person | None:
        """The person whom an identity provider knows by this."""
        row = self._row(sql.BY_IDENTITY, issuer=issuer, subject=subject)
        return None if row is None else person_from(row)

    def identities(self, person_id: str) -> tuple[tuple[str, str], ...]:
        """Issuer and subject of each identity of a person."""
        return tuple((row["issuer"], row["subject"]) for row in self._rows(sql.IDENTITIES, person=person_id))

    def link(self, person_id: str, issuer: str, subject: str, now: datetime) -> bool:
        """From now on this identity is theirs; False when it is somebody's already."""
        return self._done(sql.LINK, **_link(person_id, issuer, subject, now))

    def unlink(self, person_id: str, now: datetime) -> None:
        """They have no identity elsewhere any more, and every session that began with one ends."""
        self._do(
            (sql.HOLD_PERSON, {"person": person_id}),
            (sql.UNLINK, {"person": person_id}),
            (sql.END_SESSIONS_FROM_ELSEWHERE, {"person": person_id, "now": now}),
        )

    def name_in_use(self, name: str) -> bool:
        """Whether somebody has this login, or some key names it as its owner or its agent."""
        return bool(self._rows(sql.NAME_IN_USE, name=name))

    def add_session(
        self, session: Session, person: Person, token_hash: str, identity: Identity | None
    ) -> bool:
        """A new session of `person` as they were when they proved who they are; fifty at most, and the oldest goes.

        False when they were disabled or got another password since then; when the identity by which they came is
        theirs no more, or its trip has led to a session before.
        """
        by = {name: getattr(identity, name, None) for name in ("issuer", "subject", "trip")}
        given = {**vars(session), **by, "how": session.how.value, "token_hash": token_hash}
        with self._committed() as connection:
            seen = {"person": person.id, "password_set_at": person.password_set_at}
            proved = connection.execute(sql.AS_PROVED, seen).first() is not None
            return proved and connection.execute(sql.ADD_SESSION, given).first() is not None

    def session(self, token_hash: str) -> tuple[Session, Person, tuple[Credential, ...]] | None:
        """A session with its person and all their memberships, in one look."""
        row = self._row(sql.SESSION, token_hash=token_hash)
        if row is None:
            return None
        members = tuple(map(rows.credential_from, row["members"]))
        return session_from(row["session"]), person_from(row["person"]), members

    def sessions(self, person_id: str, since: datetime) -> tuple[Session, ...]:
        """The sessions of a person that were not ended and were used since then, newest first."""
        return tuple(map(session_from, self._rows(sql.SESSIONS, person=person_id, since=since)))

    def note_seen(self, session_id: str, now: datetime) -> None:
        """It was used in this minute. It waits for no standby: nobody is harmed when it is lost."""
        asked = {"id": session_id, "now": now}
        self._do((text("SET LOCAL synchronous_commit = off"), {}), (sql.NOTE_SEEN, asked))

    def note_confirmed(self, session_id: str, now: datetime) -> None:
        """The person has just proved again who they are."""
        self._do((sql.NOTE_CONFIRMED, {"id": session_id, "now": now}))

    def end_session(self, session_id: str, now: datetime) -> None:
        """From the commit on it opens nothing."""
        self._do((sql.END_SESSION, {"id": session_id, "now": now}))

    def end_sessions(self, person_id: str, now: datetime) -> None:
        """The same for every session of a person."""
        self._do((sql.END_SESSIONS, {"person": person_id, "now": now, "keep": None}))

    def note_sign_in(self, person_id: str | None, tried: SignInTried) -> None:
        """A try to sign in as this person, or with a login that is nobody's; the oldest are forgotten."""
        self._do((sql.NOTE_SIGN_IN, {**vars(tried), "how": tried.how.value, "person": person_id or ""}))

    def sign_ins(self, person_id: str) -> tuple[SignInTried, ...]:
        """The last tries, newest first."""
        return tuple(
            SignInTried(rows.instant(row["at"]), How(row["how"]), row["address"], row["succeeded"])
            for row in self._rows(sql.SIGN_INS, person=person_id)
        )

    def count_try(self, allowances: Mapping[str, Allowance], now: datetime) -> datetime | None:
        """Count one try in all these places, at once; or, when one of them does not allow it yet, when it will."""
        places = {"places": sorted(allowances)}
        with self._committed() as connection:
            connection.execute(sql.PLACES, {**places, "now": now})
            found = {
                row["place"]: Tries(row["count"], rows.instant(row["last_at"]))
                for row in records(connection, sql.TRIES, **places)
            }
            next_at = max(allowances[place].next_at(tries) for place, tries in found.items())
            if next_at > now:
                return next_at
            counted = [{"place": place, **vars(one_more(tries, now))} for place, tries in found.items()]
            connection.execute(sql.COUNT_TRY, counted)
        return None

    def forget_tries(self, places: Sequence[str], one_of: str) -> None:
        """The last one was right: forget those in these places, and in that one the last."""
        self._do((sql.FORGET_TRIES, {"places": list(places), "one_of": one_of}))

    @contextmanager
    def _committed(self) -> Iterator[Connection]:
        with answered(), self._engine.connect() as connection:
            yield connection
            commit(connection)

    def _do(self, *statements: tuple[TextClause, dict[str, Any]]) -> None:
        with self._committed() as connection:
            for statement, parameters in statements:
                connection.execute(statement, parameters)

    def _done(self, statement: TextClause, **parameters: Any) -> bool:  # noqa: ANN401  bind values
        with self._committed() as connection:
            return connection.execute(statement, parameters).first() is not None

    def _rows(self, statement: TextClause, **parameters: Any) -> list[dict[str, Any]]:  # noqa: ANN401  bind values
        with answered(), self._reading.connect() as connection:
            return records(connection, statement, **parameters)

    def _row(self, statement: TextClause, **parameters: Any) -> dict[str, Any] | None:  # noqa: ANN401  bind values
        with answered(), self._reading.connect() as connection:
            return record(connection, statement, **parameters)


def _link(person_id: str, issuer: str, subject: str, now: datetime) -> dict[str, Any]:
    return {"person": person_id, "issuer": issuer, "subject": subject, "now": now}
