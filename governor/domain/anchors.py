"""Anchors: where a trail ended at some time, signed where there is a key, kept where nobody of the database writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from governor.domain.audit import Place
from governor.domain.canonical import canonical_json

EVENT = "audit.anchor"
"""How an anchor is called where it is a line of a log among others."""

_HASH = re.compile(r"[0-9a-f]{64}")
_PAIR = re.compile(r'(?<!\w)(\w+)=("[^"]*"|\S+)')


@dataclass(frozen=True)
class Signature:
    """A signature in hex, and the name of the key that made it."""

    key: str
    signature: str


@dataclass(frozen=True)
class Anchor:
    """The head of an environment's trail at a time (database time, RFC 3339, UTC)."""

    environment: str
    seq: int
    hash: str
    at: str
    signed: Signature | None = None

    @property
    def place(self) -> Place:
        """The row that it names."""
        return Place(self.seq, self.hash)

    @property
    def message(self) -> bytes:
        """What is signed: everything but the signature, and what kind of thing it is, so that it is nothing else."""
        meaning = {"environment": self.environment, "seq": self.seq, "hash": self.hash, "at": self.at}
        return canonical_json({"governor": EVENT, **meaning})

    @property
    def told(self) -> dict[str, Any]:
        """It as one flat record: a line of a file, or the fields of a log line."""
        record = {"environment": self.environment, "seq": self.seq, "hash": self.hash, "at": self.at}
        return record if self.signed is None else record | vars(self.signed)


def read_anchors(lines: Iterable[str]) -> list[Anchor]:
    """Every anchor among these lines, each a JSON object or `key=value` pairs; other lines of a log are passed over.

    Raises:
        ValueError: a line says that it is an anchor, or says nothing else, and is none.
    """
    return [anchor_from(record) for line in lines if (record := _record(line)) is not None]


def _record(line: str) -> dict[str, Any] | None:
    """The record in a line that is or says to be an anchor."""
    line = line.strip()
    if not line:
        return None
    if line.startswith("{"):
        record: dict[str, Any] = json.loads(line)
        return record if record.get("event", EVENT) == EVENT else None
    pairs = {name: value.strip('"') for name, value in _PAIR.findall(line)}
    return pairs if pairs.get("event") == EVENT else None


def anchor_from(record: dict[str, Any]) -> Anchor:
    """An anchor as it was told.

    Raises:
        ValueError: it is none.
    """
    try:
        anchor = Anchor(
            str(record["environment"]),
            int(record["seq"]),
            str(record["hash"]),
            str(record["at"]),
            _signed(record),
        )
    except (KeyError, TypeError) as error:
        raise ValueError("this is no anchor") from error
    if anchor.seq < 1 or not _HASH.fullmatch(anchor.hash):
        raise ValueError("this is no anchor")
    return anchor


def _signed(record: dict[str, Any]) -> Signature | None:
    if "key" not in record and "signature" not in record:
        return None
    return Signature(str(record["key"]), str(record["signature"]))
