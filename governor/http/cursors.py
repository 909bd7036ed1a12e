"""Opaque cursors: where a list goes on, sealed to one environment, one list and one filter."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from governor.domain.canonical import canonical_json
from governor.domain.errors import Malformed

_SEAL_BYTES = 16


@dataclass(frozen=True)
class ListPlace:
    """What a cursor is bound to; `chosen` are the filters of the query as (name, value)."""

    environment: str
    path: str
    chosen: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Cursors:
    """Makes and reads cursors under one key, which all web processes share."""

    key: bytes

    def after(self, place: ListPlace, last: str) -> str:
        """The cursor behind the object whose id is `last`."""
        return base64.urlsafe_b64encode(self._seal(place, last) + last.encode()).decode().rstrip("=")

    def read(self, place: ListPlace, cursor: str) -> str:
        """The id in a cursor of ours.

        Raises:
            Malformed: `cursor_invalid` for one that is forged, cut, or of another list.
        """
        try:
            raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
            last = raw[_SEAL_BYTES:].decode("ascii")
        except ValueError as error:
            raise _forged() from error
        if not hmac.compare_digest(raw[:_SEAL_BYTES], self._seal(place, last)):
            raise _forged()
        return last

    def _seal(self, place: ListPlace, last: str) -> bytes:
        chosen = sorted([name, value] for name, value in place.chosen)
        bound = canonical_json([place.environment, place.path, chosen, last])
        return hmac.new(self.key, bound, hashlib.sha256).digest()[:_SEAL_BYTES]


def _forged() -> Malformed:
    return Malformed("cursor_invalid", "`after` is a `next_cursor` of the same list with the same filters.")
