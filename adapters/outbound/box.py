"""`governor.ports.messages.Box`: AES-256-GCM under a key that is not in the database."""

from __future__ import annotations

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from governor.domain.errors import InvariantBroken

_NONCE_BYTES = 12
_FORM = b"\x01"
"""How what follows is sealed, so that another way may come later."""


class PepperBox:
    """Seals under a key derived from the installation's pepper. With another pepper nothing opens any more."""

    def __init__(self, pepper: bytes) -> None:
        derived = HKDF(SHA256(), 32, salt=None, info=b"governor endpoints").derive(pepper)
        self._cipher = AESGCM(derived)

    def seal(self, words: str, place: str) -> bytes:
        """The words, sealed for this place: nowhere else does the seal hold."""
        nonce = os.urandom(_NONCE_BYTES)
        return _FORM + nonce + self._cipher.encrypt(nonce, words.encode(), place.encode())

    def open(self, sealed: bytes, place: str) -> str:
        """The words that were sealed for this place.

        Raises:
            InvariantBroken: `seal_broken` when they were not, or with another key.
        """
        form, nonce, rest = sealed[:1], sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        broken = InvariantBroken("seal_broken", f"what is sealed for {place} does not open")
        if form != _FORM:
            raise broken
        try:
            return self._cipher.decrypt(nonce, rest, place.encode()).decode()
        except (InvalidTag, ValueError):
            raise broken from None
