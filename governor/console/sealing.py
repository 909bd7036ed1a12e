"""Small texts that go to the browser and come back as they went: sealed, and bound to what they are for."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass

_SEAL_BYTES = 16


@dataclass(frozen=True)
class Seals:
    """Seals and opens under one key, which all web processes share. What is sealed can be read by who holds it."""

    key: bytes

    def seal(self, purpose: str, text: str) -> str:
        """The text with its seal, in letters that a cookie can carry."""
        raw = text.encode()
        return base64.urlsafe_b64encode(self._seal(purpose, raw) + raw).decode().rstrip("=")

    def opened(self, purpose: str, sealed: str) -> str | None:
        """The text that was sealed for this purpose; None for anything else."""
        try:
            raw = base64.b64decode(sealed + "=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
            seal, text = raw[:_SEAL_BYTES], raw[_SEAL_BYTES:]
            return text.decode() if hmac.compare_digest(seal, self._seal(purpose, text)) else None
        except ValueError:
            return None

    def _seal(self, purpose: str, raw: bytes) -> bytes:
        bound = f"{len(purpose)}:{purpose}".encode() + raw
        return hmac.new(self.key, bound, hashlib.sha256).digest()[:_SEAL_BYTES]
