"""One spelling for one value: RFC 8785, for fingerprints, digests and the audit chain."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> bytes:  # noqa: ANN401  JSON values are any
    """The canonical JSON bytes of a value of dicts with ASCII keys, lists, strings, integers, booleans, None.

    For such values the standard library's encoder writes what RFC 8785 asks, at a fortieth of the cost of
    the reference implementation; a test holds the two to each other. Floats have no place in governor.

    Raises:
        ValueError: a NaN or an infinity. TypeError: not a JSON value.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def digest(value: Any) -> str:  # noqa: ANN401  JSON values are any
    """`sha256:` and the hash of the canonical form."""
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()
