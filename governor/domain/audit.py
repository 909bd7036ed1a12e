"""How one audit row seals the one before it (RELIABILITY §5.4)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governor.domain.canonical import canonical_json
from governor.domain.redaction import masked, suspicious

GENESIS = "0" * 64
"""What the first row of an environment seals."""


@dataclass(frozen=True)
class Place:
    """A place in a trail: behind the row with this number and hash."""

    seq: int
    hash: str


BEGINNING = Place(0, GENESIS)
"""Before the first row."""


@dataclass(frozen=True)
class Entry:
    """One decision or change: who did what to which object. `facts` carry no secret, note or e-mail."""

    actor: str
    action: str
    object: str
    facts: dict[str, Any]

    @property
    def person(self) -> str | None:
        """Who did it, whichever key they used, or signed in; None for what `governor` itself did."""
        return self.facts.get("person") or None


def guarded(entry: Entry, known: Mapping[str, Any]) -> Entry:
    """The entry as it may be kept, with the facts that are `known` of every row of its transaction.

    Whatever looks like a secret or an e-mail address is masked, whoever wrote it.
    """
    facts = {**entry.facts, **known}
    if suspicious(f"{entry.actor} {entry.object} {canonical_json(facts).decode()}"):
        return Entry(masked(entry.actor), entry.action, masked(entry.object), masked(facts))
    return Entry(entry.actor, entry.action, entry.object, facts)


@dataclass(frozen=True)
class Sealed:
    """An entry with its place in the environment's chain. `at` is database time, UTC, microseconds."""

    environment: str
    seq: int
    at: datetime
    entry: Entry
    prev_hash: str
    hash: str

    @property
    def place(self) -> Place:
        """Where the trail goes on behind this row."""
        return Place(self.seq, self.hash)

    @property
    def body(self) -> dict[str, Any]:
        """What the hash is taken over, in its canonical form: everything but the hash itself."""
        return {
            "environment": self.environment,
            "seq": self.seq,
            "at": self.at.isoformat(timespec="microseconds"),
            "actor": self.entry.actor,
            "action": self.entry.action,
            "object": self.entry.object,
            "facts": self.entry.facts,
            "prev_hash": self.prev_hash,
        }

    @property
    def own_hash(self) -> str:
        """The hash that this row must have, by what it says."""
        return hashlib.sha256(canonical_json(self.body)).hexdigest()


def seal(environment: str, seq: int, at: datetime, entry: Entry, prev_hash: str) -> Sealed:
    """Place an entry behind the row whose hash is `prev_hash`."""
    unsealed = Sealed(environment, seq, at, entry, prev_hash, "")
    return Sealed(environment, seq, at, entry, prev_hash, unsealed.own_hash)
