"""Signing in: a person proves who they are, and a session begins."""

from __future__ import annotations

from dataclasses import dataclass

from governor.usecases.prove_person import ProvePerson
from governor.usecases.sessions import Opened, Sessions


@dataclass(frozen=True)
class SignIn:
    """The way in by what they know. `address` is where the person comes from, as the surface sees it."""

    prove: ProvePerson
    sessions: Sessions

    def with_password(self, login: str, password: str, code: str, address: str) -> Opened:
        """By what they know, and the code of their authenticator if they have switched that on ("" when none was sent).

        Raises:
            Unauthenticated: `sign_in_failed`; `code_required` when the password is right and no code was sent.
            TooManyTries: `too_many_tries`.
        """
        return self.sessions.open(self.prove(login, password, code, address), address)
