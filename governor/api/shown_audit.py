"""The audit trail as callers see it."""

from __future__ import annotations

from typing import Any

from governor.api.output import Output, Time, instant
from governor.domain.audit import Sealed
from governor.domain.canonical import canonical_json
from governor.domain.trail_file import Manifest
from governor.http.spreadsheet import csv_line
from governor.usecases.verify_trail import Verification


class AuditRowOut(Output):
    """Who did what to which object. `facts` say why, what was and what is; `limits_revision`: under which limits."""

    seq: int
    at: Time
    actor: str
    action: str
    object: str
    facts: dict[str, Any]
    prev_hash: str
    hash: str


class AuditOut(Output):
    """A part of the trail, oldest first."""

    data: list[AuditRowOut]
    has_more: bool
    next_cursor: str | None


class BreakOut(Output):
    """The first row that is not what it should be, and why."""

    code: str
    seq: int
    expected: str
    found: str


class VerdictOut(Output):
    """Rows `from` to `to` were looked at; `rows` of them are whole, and the last of those has the hash `hash`."""

    environment: str
    intact: bool
    first: int
    last: int
    rows: int
    hash: str
    broken: BreakOut | None
    anchors: int
    signatures: int


class ManifestOut(Output):
    """What an export of these rows holds. `anchor` is its last row's, signed when this process has a key."""

    environment: str
    format: str
    first: int
    last: int
    count: int
    prev_hash: str
    hash: str
    sha256: str
    made_at: Time
    anchor: dict[str, Any]


def shown_row(row: Sealed) -> dict[str, Any]:
    """One row."""
    return {
        "seq": row.seq,
        "at": instant(row.at),
        **vars(row.entry),
        "prev_hash": row.prev_hash,
        "hash": row.hash,
    }


def shown_verdict(verdict: Verification) -> dict[str, Any]:
    """What verifying found."""
    broken = None if verdict.broken is None else vars(verdict.broken)
    return {**vars(verdict), "intact": broken is None, "broken": broken}


def shown_manifest(manifest: Manifest) -> dict[str, Any]:
    """What an export holds."""
    return dict(vars(manifest))


COLUMNS = "seq at actor action object facts prev_hash hash".split()
"""None comes and none goes: the same bounds give the same bytes for ever. What a row learns to say goes into its facts."""
HEADING = csv_line(COLUMNS).encode()


def csv_row(row: Sealed) -> bytes:
    """One row as a line of CSV; its facts are canonical JSON in one cell."""
    shown = row.body | {"facts": canonical_json(row.entry.facts).decode(), "hash": row.hash}
    return csv_line([shown[name] for name in COLUMNS]).encode()
