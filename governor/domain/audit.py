"""How one audit row seals the one before it (RELIABILITY §5.4)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governor.domain.canonical import canonical_json

GENESIS = "0" * 64
"""What the first row of an environment seals."""


@dataclass(frozen=True)
class Entry:
    """One decision or change: who did what to which object. `facts` carry no secret, note or e-mail."""

    actor: str
    action: str
    object: str
    facts: dict[str, Any]


@dataclass(frozen=True)
class Sealed:
    """An entry with its place in the environment's chain. `at` is database time, UTC, microseconds."""

    environment: str
    seq: int
    at: datetime
    entry: Entry
    prev_hash: str
    hash: str


def seal(environment: str, seq: int, at: datetime, entry: Entry, prev_hash: str) -> Sealed:
    """Place an entry behind the row whose hash is `prev_hash`."""
    body = {
        "environment": environment,
        "seq": seq,
        "at": at.isoformat(timespec="microseconds"),
        "actor": entry.actor,
        "action": entry.action,
        "object": entry.object,
        "facts": entry.facts,
        "prev_hash": prev_hash,
    }
    return Sealed(environment, seq, at, entry, prev_hash, hashlib.sha256(canonical_json(body)).hexdigest())
