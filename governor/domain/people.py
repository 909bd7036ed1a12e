"""People: who they are, what their passwords must be, how long a session lives, which codes count.

What a person may do in an environment is a *membership*: a credential that no key opens. It belongs to the person
(`Credential.person`), is owned by their login, and is revoked, frozen and audited like every other credential.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from governor.domain.credentials import Credential
from governor.domain.errors import invalid

SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 128
"""In characters: length is what protects, and a long one is a long computation (NIST SP 800-63B §3.1.1.2)."""
_LOGIN = re.compile(r"[a-z0-9][a-z0-9._-]{1,63}", re.ASCII)
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,128}")


@dataclass(frozen=True)
class Person:
    """Somebody who signs in. `login` is how they are named wherever somebody answers for something."""

    id: str
    login: str
    name: str
    created_at: datetime
    disabled_at: datetime | None = None
    password_set_at: datetime | None = None
    """None: they have no password, and come from elsewhere."""
    codes_since: datetime | None = None
    """Since when a one-time code is asked for beside the password; None: it is not."""


@dataclass(frozen=True)
class Proofs:
    """What is kept to check a person by, none of it readable: see `governor.ports.people`."""

    password_hash: str | None = None
    code_secret: bytes | None = None
    last_code_step: int = 0
    """The newest 30-second step whose code was used: that one and all before it are used up."""


class How(StrEnum):
    """How somebody proved who they are."""

    PASSWORD = "password"  # noqa: S105 - the name of a way to sign in
    OIDC = "oidc"


@dataclass(frozen=True)
class Session:
    """A person at one browser, from signing in until it is over."""

    id: str
    person: str
    how: How
    address: str
    created_at: datetime
    last_seen_at: datetime
    """To the minute."""
    confirmed_at: datetime
    """When the person last proved who they are."""
    ended_at: datetime | None = None


@dataclass(frozen=True)
class Lifetimes:
    """How long a session lives: without being used (`idle`), and at all (`whole`)."""

    idle: timedelta
    whole: timedelta

    def over_at(self, session: Session) -> datetime:
        """When a session is over if it is not used again (UTC)."""
        over = min(session.last_seen_at + self.idle, session.created_at + self.whole)
        return over if session.ended_at is None else min(over, session.ended_at)

    def live(self, session: Session, person: Person, now: datetime) -> bool:
        """Whether it still opens anything at `now` (UTC)."""
        return session.ended_at is None and person.disabled_at is None and now < self.over_at(session)


def live_members(members: tuple[Credential, ...], now: datetime) -> tuple[Credential, ...]:
    """What a person may do at `now`, of all that was ever granted."""
    return tuple(one for one in members if one.live_at(now))


def possible_login(login: str) -> bool:
    """Whether anybody could have this login."""
    return _LOGIN.fullmatch(login) is not None


def checked_login(login: str) -> str:
    """A login in its one spelling.

    Raises:
        Invalid: `/login`.
    """
    if not possible_login(login):
        raise invalid("/login", "login_malformed", "A login is 2 to 64 of a-z, 0-9, '.', '_' and '-'.")
    return login


def checked_name(name: str) -> str:
    """A name for people to read.

    Raises:
        Invalid: `/name`.
    """
    if not name.strip() or not _NAME.fullmatch(name):
        raise invalid("/name", "name_malformed", "A name is 1 to 128 characters in one line.")
    return name


_OFTEN_GUESSED = frozenset(
    """password passwort letmein welcome qwerty qwertyuiop qwertz asdfghjkl iloveyou administrator admin root
    changeme default secret test testing monkey dragon sunshine princess football baseball superman batman
    abcdefghijkl refund refunds stripe governor company summer winter spring autumn""".split()
)
"""Words that guessers begin with; the product's own among them."""


def check_password(password: str, login: str, name: str) -> None:
    """Refuse a password that is easily guessed. Nothing is asked about its kinds of characters.

    Raises:
        Invalid: `/password`: too short, too long, or little more than a well-known word or the person's own name.
    """
    if len(password) < SHORTEST_PASSWORD:
        raise invalid(
            "/password", "password_too_short", f"A password has {SHORTEST_PASSWORD} characters or more."
        )
    if len(password) > LONGEST_PASSWORD:
        raise invalid(
            "/password", "password_too_long", f"A password has {LONGEST_PASSWORD} characters at most."
        )
    if _guessed_first(password, login, name):
        raise invalid("/password", "password_guessable", "This password is among the first to be guessed.")


def _guessed_first(password: str, login: str, name: str) -> bool:
    """Whether hardly anything is left of it without well-known words, the person's names, runs and repetition."""
    plain = password.casefold()
    own = {part for part in re.split(r"\W+", f"{login} {name}".casefold()) if len(part) > 2}
    words = sorted(_OFTEN_GUESSED | own, key=len, reverse=True)
    return any(_hardly_anything(_without(words, text)) for text in (plain, plain.translate(_FOR_LETTERS)))


_FOR_LETTERS = str.maketrans("013457@$!", "oleastasi")
"""What is written for letters so that a word looks like none."""


def _without(words: list[str], text: str) -> str:
    for word in words:
        text = text.replace(word, "")
    return text


def _hardly_anything(rest: str) -> bool:
    steps = {ord(after) - ord(before) for before, after in pairwise(rest)}
    only_counts = steps <= {1, -1, 9, -9}
    return len(rest) < 6 or len(set(rest)) < 4 or only_counts


CONFIRMED_FOR = timedelta(minutes=10)
"""For how long somebody who has proved who they are may do what needs that."""

CODE_SECONDS = 30
"""How long one code of an authenticator is shown (RFC 6238 §5.2)."""


def code_steps(now: datetime, last_used: int) -> tuple[int, ...]:
    """The steps whose codes count at `now` (UTC, not moved by a development clock): this one and its neighbours.

    A code that was used, or one from before it, never counts again (RFC 6238 §5.2).
    """
    step = int(now.timestamp()) // CODE_SECONDS
    return tuple(one for one in (step, step - 1, step + 1) if one > last_used)
