"""An audit trail as a file that is checked without a database: one row a line, the manifest last.

Each line is canonical JSON (RFC 8785): what was sealed, and its hash beside it. So anybody can take the hash of a
line's other members and compare.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any

from governor.domain.anchors import Anchor
from governor.domain.audit import BEGINNING, Entry, Place, Sealed
from governor.domain.canonical import canonical_json
from governor.domain.errors import InvariantBroken
from governor.domain.trail import NOTHING_ANCHORED, Anchored, Break, Fault, Walked, ended, walk


@dataclass(frozen=True)
class Manifest:
    """What an export holds. `prev_hash` is what its first row seals, `hash` is its last row's, `sha256` its content's.

    `anchor` is the last row as an anchor, signed when the exporting process has a key.
    """

    environment: str
    format: str
    first: int
    last: int
    count: int
    prev_hash: str
    hash: str
    sha256: str
    made_at: str
    anchor: dict[str, Any]

    @property
    def line(self) -> bytes:
        """The last line of a file, with its own hash."""
        sha256 = hashlib.sha256(canonical_json(vars(self))).hexdigest()
        return canonical_json({"manifest": vars(self), "sha256": sha256}) + b"\n"


def line_of(row: Sealed) -> bytes:
    """A row as a line of a file."""
    return canonical_json(row.body | {"hash": row.hash}) + b"\n"


def row_of(line: bytes) -> Sealed:
    """The row that a line holds.

    Raises:
        ValueError: it holds none, or is spelled in another way than rows are.
    """
    value = json.loads(line)
    try:
        entry = Entry(value["actor"], value["action"], value["object"], value["facts"])
        at = datetime.fromisoformat(value["at"])
        row = Sealed(value["environment"], value["seq"], at, entry, value["prev_hash"], value["hash"])
    except (KeyError, TypeError) as error:
        raise ValueError("this line is no row") from error
    if line_of(row) != line:
        raise ValueError("this line is spelled in another way")
    return row


@dataclass
class Content:
    """What was written, or read, of an export so far."""

    sha: Any = field(default_factory=hashlib.sha256)
    count: int = 0
    first: Sealed | None = None
    last: Sealed | None = None

    def add(self, row: Sealed, line: bytes) -> None:
        """One row more, written as this line."""
        self.sha.update(line)
        self.count += 1
        self.first = self.first or row
        self.last = row

    @property
    def place(self) -> Place:
        """Where it has come to."""
        return BEGINNING if self.last is None else self.last.place

    def manifest(self, form: str, anchor: Anchor) -> Manifest:
        """What an export says of itself at its end; `anchor` is its last row's.

        Raises:
            InvariantBroken: nothing was written.
        """
        if self.first is None or self.last is None:
            raise InvariantBroken("empty_export", "an export has at least one row")
        return Manifest(
            environment=self.first.environment,
            format=form,
            first=self.first.seq,
            last=self.last.seq,
            count=self.count,
            prev_hash=self.first.prev_hash,
            hash=self.last.hash,
            sha256=self.sha.hexdigest(),
            made_at=anchor.at,
            anchor=anchor.told,
        )

    def fits(self, manifest: Manifest) -> bool:
        """Whether this is what the manifest says."""
        if self.first is None or self.last is None:
            return False
        here = self.first.environment
        told = (manifest.environment, manifest.first, manifest.last, manifest.count)
        hashes = (manifest.prev_hash, manifest.hash, manifest.sha256)
        anchor = {"environment": here, "seq": self.last.seq, "hash": self.last.hash}
        return (
            told == (here, self.first.seq, self.last.seq, self.count)
            and hashes == (self.first.prev_hash, self.last.hash, self.sha.hexdigest())
            and {name: manifest.anchor.get(name) for name in anchor} == anchor
        )


class TrailFile(Iterator[Sealed]):
    """An exported trail: its rows, as far as they can be read, and then its manifest if it has one."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self._content = Content()
        self._unreadable: str | None = None
        self.manifest: Manifest | None = None
        self.first = next(self, None)

    def walked(self, anchored: Anchored = NOTHING_ANCHORED) -> Walked:
        """Walk along it to its end, and hold it against its manifest."""
        first = self.first
        if first is None:
            return Walked(BEGINNING, 0, self._fault(BEGINNING.seq + 1))
        start = BEGINNING if first.seq == BEGINNING.seq + 1 else Place(first.seq - 1, first.prev_hash)
        walked = walk(first.environment, start, chain([first], self), anchored)
        if walked.broken is None:
            walked = replace(walked, broken=self._fault(walked.place.seq + 1))
        return ended(walked, walked.place.seq, anchored=anchored)

    def __next__(self) -> Sealed:
        line = next(self._lines)
        if line.startswith(b'{"manifest":'):
            self._take_manifest(line)
            raise StopIteration
        try:
            row = row_of(line)
        except (ValueError, RecursionError) as error:
            self._unreadable = str(error)
            raise StopIteration from error
        self._content.add(row, line)
        return row

    def _take_manifest(self, line: bytes) -> None:
        try:
            manifest = Manifest(**json.loads(line)["manifest"])
            same = manifest.line == line
        except (TypeError, ValueError, RecursionError):
            self._unreadable = "a manifest that cannot be read"
            return
        if same:
            self.manifest = manifest
        else:
            self._unreadable = "a manifest that is spelled in another way"

    def _fault(self, seq: int) -> Break | None:
        """What is wrong with the file as a file; `seq` is the number of the row that would come next."""
        if self._unreadable is not None:
            return Break(Fault.FILE, seq, "a row of the trail, or its manifest", self._unreadable)
        if self.manifest is None:
            return Break(Fault.FILE, seq, "a manifest at the end", "the file ends without one")
        if next(self._lines, None) is not None:
            return Break(Fault.FILE, seq, "nothing behind the manifest", "more lines")
        if not self._content.fits(self.manifest):
            return Break(Fault.FILE, seq, "what the manifest says", "another content")
        return None
