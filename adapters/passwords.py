"""Passwords and one-time codes: Argon2id, RFC 6238, and sealing, all by `cryptography`."""

from __future__ import annotations

import os
import secrets
import unicodedata
from base64 import b64encode
from collections.abc import Sequence

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.twofactor import InvalidToken
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from governor.domain.people import CODE_SECONDS, Person

_ROUNDS, _LANES, _KIB = 2, 1, 19456
"""What OWASP's password storage cheat sheet asks of Argon2id at least: about 30 ms and 19 MiB a guess."""
_SALT, _LENGTH = 16, 32
"""Bytes."""
_PARAMETERS = f"$argon2id$v=19$m={_KIB},t={_ROUNDS},p={_LANES}"
_NONCE = 12
_LETTERS, _DIGITS = "abcdefghjkmnpqrstuvwxyz", "23456789"


class Argon2Passwords:
    """`governor.ports.people.Passwords`. The pepper is in no database, so a stolen one is nothing to guess at."""

    def __init__(self, pepper: bytes) -> None:
        self._pepper = pepper
        # What no password makes, said as if one had been kept: nothing needs to be derived for it.
        self._nobody = f"{_PARAMETERS}${_unpadded(os.urandom(_SALT))}${_unpadded(os.urandom(_LENGTH))}"

    def keep(self, password: str) -> str:
        """What is kept of a password, in the PHC string format."""
        return self._derive(_spelled(password))

    def match(self, password: str, kept: str | None) -> bool:
        """Whether it is the one; it takes the same time when there is none to compare with."""
        try:
            Argon2id.verify_phc_encoded(_spelled(password), kept or self._nobody, secret=self._pepper)
        except InvalidKey:
            return False
        return kept is not None

    def outdated(self, kept: str) -> bool:
        """Whether it was kept with other parameters."""
        return not kept.startswith(f"{_PARAMETERS}$")

    def _derive(self, password: bytes) -> str:
        argon = Argon2id(
            salt=os.urandom(_SALT),
            length=_LENGTH,
            iterations=_ROUNDS,
            lanes=_LANES,
            memory_cost=_KIB,
            secret=self._pepper,
        )
        return argon.derive_phc_encoded(password)


def _unpadded(octets: bytes) -> str:
    """Base 64 as the PHC string format has it."""
    return b64encode(octets).rstrip(b"=").decode("ascii")


def _spelled(password: str) -> bytes:
    """One spelling for what looks the same, whichever keyboard it was typed on (NIST SP 800-63B §3.1.1.2)."""
    return unicodedata.normalize("NFKC", password).encode()


class TotpCodes:
    """`governor.ports.people.Codes`: six digits, SHA-1, 30 seconds, which every authenticator knows."""

    def __init__(self, pepper: bytes) -> None:
        derived = HKDF(SHA256(), length=32, salt=None, info=b"governor one-time codes").derive(pepper)
        self._seal = AESGCM(derived)

    def new_secret(self, person_id: str) -> bytes:
        """160 random bits, sealed so that they open for this person only."""
        nonce = os.urandom(_NONCE)
        return nonce + self._seal.encrypt(nonce, os.urandom(20), person_id.encode())

    def address(self, sealed: bytes, person: Person) -> str:
        """The `otpauth://` address that an authenticator reads; it contains the secret."""
        return self._totp(sealed, person.id).get_provisioning_uri(person.login, "governor")

    def step_of(self, code: str, sealed: bytes, person_id: str, steps: Sequence[int]) -> int | None:
        """The step among these whose code it is; every one is compared, so that the time tells nothing."""
        totp, found = self._totp(sealed, person_id), None
        for step in steps:
            try:
                totp.verify(code.encode(), step * CODE_SECONDS)
            except InvalidToken:
                continue
            found = step
        return found

    def new_recovery(self) -> tuple[str, ...]:
        """Ten codes of 49 random bits each, without letters that look like others.

        Each begins with a letter, so that none can be taken for what an authenticator shows.
        """
        return tuple(
            secrets.choice(_LETTERS) + "".join(secrets.choice(_LETTERS + _DIGITS) for _ in range(9))
            for _ in range(10)
        )

    def _totp(self, sealed: bytes, person_id: str) -> TOTP:
        secret = self._seal.decrypt(sealed[:_NONCE], sealed[_NONCE:], person_id.encode())
        # SHA-1 as RFC 6238 has it: its weakness is not one of an HMAC, and authenticators know no other.
        return TOTP(secret, 6, SHA1(), CODE_SECONDS)  # noqa: S303  the reason stands in the line above
