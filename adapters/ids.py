"""Ids and secrets."""

from __future__ import annotations

import secrets
import string

from typeid import TypeID

_ALPHABET = string.ascii_letters + string.digits


class TypeIds:
    """`governor.ports.world.IdFactory`: TypeID strings, a UUIDv7 in 26 characters behind the prefix."""

    def new(self, prefix: str) -> str:
        """A new id such as `rr_01jd…`; ids of one process sort by time."""
        return str(TypeID(prefix=prefix))

    def secret(self) -> str:
        """43 characters of 256 random bits."""
        return "".join(secrets.choice(_ALPHABET) for _ in range(43))
