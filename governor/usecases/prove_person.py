"""Is it really them? The password and the one-time code of a person, checked so that a wrong answer tells nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from governor.domain.credentials import secret_hash
from governor.domain.errors import TooManyTries, Unauthenticated
from governor.domain.people import LONGEST_PASSWORD, How, Person, Proofs, code_steps, possible_login
from governor.domain.tries import ADDRESS, LOGIN, LOGIN_FROM_ADDRESS, neighbourhood
from governor.ports.people import Codes, Passwords, PeopleStore, SignInTried

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ProvePerson:
    """Check what somebody says of themselves. Unknown, wrong and disabled are answered alike, in the same time.

    `now` is governor's time; `real_now` has not been moved by a development clock: authenticators know no other.
    """

    people: PeopleStore
    passwords: Passwords
    codes: Codes
    now: Callable[[], datetime]
    real_now: Callable[[], datetime]
    pepper: bytes

    def __call__(self, login: str, password: str, code: str, address: str) -> Person:
        """The person with this login, who knows the password and, if they have switched that on, the code.

        Raises:
            Unauthenticated: `sign_in_failed`; `code_required` when the password is right and no code was sent.
            TooManyTries: `too_many_tries`, whether it would have been right or not.
        """
        person, proofs = self._with_password(login, password, address)
        if person.codes_since is not None:
            if not code:
                raise Unauthenticated("code_required", "Enter the code that your authenticator shows.")
            if not self.code_right(person, proofs, code):
                raise self._refused(person, address)
        self._forget(person, address)
        return person

    def password(self, login: str, password: str, address: str) -> Person:
        """By the password alone, for those who are signed in already.

        Raises:
            Unauthenticated: `sign_in_failed`. TooManyTries: `too_many_tries`.
        """
        person, _ = self._with_password(login, password, address)
        self._forget(person, address)
        return person

    def _with_password(self, login: str, password: str, address: str) -> tuple[Person, Proofs]:
        login = login.strip().lower()
        self._count(login, address)
        found = self.people.by_login(login) if possible_login(login) else None
        person, proofs = found or (None, Proofs())
        # Nobody has a longer one, and hashing it would cost as much as they like.
        typed = password if len(password) <= LONGEST_PASSWORD else ""
        right = self.passwords.match(typed, proofs.password_hash)
        if person is None or not right or person.disabled_at is not None:
            raise self._refused(person, address)
        kept = proofs.password_hash or ""
        if self.passwords.outdated(kept):
            self.people.rehash(person.id, kept, self.passwords.keep(typed))
        return person, proofs

    def code_right(self, person: Person, proofs: Proofs, code: str) -> bool:
        """Whether it is a code of now or a recovery code; either is used up by this."""
        typed = "".join(code.split()).lower()
        if proofs.code_secret is None or not typed.isascii():
            return False
        if typed.isdigit():
            steps = code_steps(self.real_now(), proofs.last_code_step)
            step = self.codes.step_of(typed, proofs.code_secret, person.id, steps)
            return step is not None and self.people.use_step(person.id, step)
        return self.people.use_recovery(person.id, secret_hash(typed, self.pepper))

    def _forget(self, person: Person, address: str) -> None:
        near = neighbourhood(address)
        # Many people may come from one address, each with a right password: only the wrong tries are left standing.
        own = [self._place("login", person.login), self._place("both", f"{person.login} {near}")]
        self.people.forget_tries(own, self._place("address", near))

    def _count(self, login: str, address: str) -> None:
        now, near = self.now(), neighbourhood(address)
        allowances = {
            self._place("both", f"{login} {near}"): LOGIN_FROM_ADDRESS,
            self._place("login", login): LOGIN,
            self._place("address", near): ADDRESS,
        }
        next_at = self.people.count_try(allowances, now)
        if next_at is not None:
            wait = int((next_at - now).total_seconds()) + 1
            log.warning("sign_in_slowed", address=address, seconds=wait)
            raise TooManyTries("too_many_tries", "Too many tries went wrong; wait a little.", {}, wait)

    def _refused(self, person: Person | None, address: str) -> Unauthenticated:
        self.people.note_sign_in(
            person.id if person else None, SignInTried(self.now(), How.PASSWORD, address, succeeded=False)
        )
        log.warning("sign_in_failed", person=person.id if person else None, address=address)
        return Unauthenticated("sign_in_failed", "The login, the password or the code is wrong.")

    def _place(self, kind: str, value: str) -> str:
        """Where tries are counted: 65536 places a kind, however many logins and addresses strangers invent."""
        return f"{kind}:{secret_hash(f'{kind} {value}', self.pepper)[:4]}"
