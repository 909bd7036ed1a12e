"""Signatures on what leaves governor to be kept elsewhere."""

from __future__ import annotations

from typing import Protocol

from governor.domain.anchors import Signature


class Signer(Protocol):
    """Has a private key."""

    def sign(self, message: bytes) -> Signature:
        """The signature over exactly these bytes."""
        ...


class KnownKeys(Protocol):
    """Has public keys."""

    def made(self, signature: Signature, message: bytes) -> bool:
        """Whether one of these keys made this signature over exactly these bytes."""
        ...
