"""Rows of people and sessions, and what they mean."""

from __future__ import annotations

from adapters.sql import rows
from governor.domain.people import How, Person, Proofs, Session


def known_from(row: rows.Row | None) -> tuple[Person, Proofs] | None:
    """A row of people with what is kept to check them by."""
    if row is None:
        return None
    # A bytea travels in JSON as \x and hexadecimal digits.
    sealed = row["code_secret"] and bytes.fromhex(row["code_secret"].removeprefix("\\x"))
    return person_from(row), Proofs(row["password_hash"], sealed, row["last_code_step"])


def person_from(row: rows.Row) -> Person:
    """A row of people without that."""
    return Person(
        id=row["id"],
        login=row["login"],
        name=row["name"],
        created_at=rows.instant(row["created_at"]),
        disabled_at=rows.moment(row["disabled_at"]),
        password_set_at=rows.moment(row["password_set_at"]),
        codes_since=rows.moment(row["codes_since"]),
    )


def session_from(row: rows.Row) -> Session:
    """A row of sessions without its token's hash."""
    return Session(
        id=row["id"],
        person=row["person"],
        how=How(row["how"]),
        address=row["address"],
        created_at=rows.instant(row["created_at"]),
        last_seen_at=rows.instant(row["last_seen_at"]),
        confirmed_at=rows.instant(row["confirmed_at"]),
        ended_at=rows.moment(row["ended_at"]),
    )
