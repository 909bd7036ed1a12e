"""One spelling for one value: RFC 8785, for fingerprints, digests and the audit chain."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785


def canonical_json(value: Any) -> bytes:  # noqa: ANN401  JSON values are any
    """The canonical JSON bytes of a value of dicts, lists, strings, integers, booleans and None."""
    return rfc8785.dumps(value)


def digest(value: Any) -> str:  # noqa: ANN401  JSON values are any
    """`sha256:` and the hash of the canonical form."""
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()
