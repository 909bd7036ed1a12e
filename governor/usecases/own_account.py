"""What people change of their own account: the password, the authenticator. They prove first who they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from governor.domain.credentials import secret_hash
from governor.domain.errors import Conflict, Forbidden, Unauthenticated, invalid
from governor.domain.people import Person, check_password
from governor.ports.people import Codes, Passwords, PeopleStore, SignInTried
from governor.usecases.prove_person import ProvePerson
from governor.usecases.sessions import Sessions, SignedIn

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class OwnAccount:
    """Each verb takes the token of a session; its person is the account."""

    people: PeopleStore
    passwords: Passwords
    codes: Codes
    sessions: Sessions
    prove: ProvePerson
    now: Callable[[], datetime]
    pepper: bytes

    def change_password(self, token: str, current: str, new: str) -> None:
        """Another password; every other session of theirs is over.

        Raises:
            Unauthenticated: `session_over`; `sign_in_failed` when the current one is wrong, or was replaced
            meanwhile. TooManyTries: `too_many_tries`. Invalid: `/password`.
        """
        signed_in = self.sessions.of(token)
        check_password(new, signed_in.person.login, signed_in.person.name)
        person = self.prove.password(signed_in.person.login, current, signed_in.session.address)
        if not self.people.change_password(
            person, self.passwords.keep(new), self.now(), keep=signed_in.session.id
        ):
            # Whoever knew the old password must not undo what was done against them at this moment.
            raise Unauthenticated("sign_in_failed", "Something changed meanwhile; sign in again.")
        log.info("password_changed", person=person.id)

    def begin_totp(self, token: str) -> str:
        """A new secret for an authenticator, as the `otpauth://` address it reads; no code is asked for yet.

        Raises:
            Unauthenticated: `session_over`. Forbidden: `confirmation_needed`. Conflict: `totp_on`.
        """
        person = self._confirmed(token).person
        if person.codes_since is not None:
            raise Conflict("totp_on", "Codes are asked for already; switch them off first.")
        sealed = self.codes.new_secret(person.id)
        self.people.set_codes(person.id, sealed, None, ())
        return self.codes.address(sealed, person)

    def confirm_totp(self, token: str, code: str) -> tuple[str, ...]:
        """The authenticator shows the right code, so from now on one is asked for. Returns recovery codes, once.

        Raises:
            Unauthenticated: `session_over`. Forbidden: `confirmation_needed`. Conflict: `totp_not_begun`,
            `totp_on`. Invalid: `/code`.
        """
        person = self._confirmed(token).person
        if person.codes_since is not None:
            raise Conflict("totp_on", "Codes are asked for already.")
        found = self.people.by_id(person.id)
        if found is None or found[1].code_secret is None:
            raise Conflict("totp_not_begun", "Show the secret to an authenticator first.")
        if not self.prove.code_right(*found, code):
            raise invalid("/code", "code_wrong", "This is not the code of now; is the phone's clock right?")
        recovery = self.codes.new_recovery()
        hashes = [secret_hash(one, self.pepper) for one in recovery]
        self.people.set_codes(person.id, found[1].code_secret, self.now(), hashes)
        log.info("totp_on", person=person.id)
        return recovery

    def remove_totp(self, token: str) -> None:
        """No code is asked for any more.

        Raises:
            Unauthenticated: `session_over`. Forbidden: `confirmation_needed`.
        """
        person = self._confirmed(token).person
        self.people.set_codes(person.id, None, None, ())
        log.info("totp_off", person=person.id)

    def sign_ins(self, person: Person) -> tuple[SignInTried, ...]:
        """Who has lately tried to sign in as them, newest first."""
        return self.people.sign_ins(person.id)

    def _confirmed(self, token: str) -> SignedIn:
        signed_in = self.sessions.of(token)
        if not signed_in.confirmed:
            raise Forbidden("confirmation_needed", "Prove again who you are, then do this.")
        return signed_in
