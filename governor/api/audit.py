"""The audit trail: listed, verified, and exported as a file that proves itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flask import Response

from governor.api.call import Call
from governor.api.responses import answer, page
from governor.api.route import Route
from governor.api.shown_audit import (
    HEADING,
    AuditOut,
    ManifestOut,
    VerdictOut,
    csv_row,
    shown_manifest,
    shown_row,
    shown_verdict,
)
from governor.domain.trail_file import line_of
from governor.http.query import matching
from governor.ports.records import TrailFilter
from governor.usecases.export_trail import TrailExport
from governor.usecases.read_trail import Bound, read_bound

HASHED_AT_ONCE = 100_000
"""How many rows one call hashes without sending any: some seconds. The command line knows no such end."""

PIECE_BYTES = 64 * 1024
"""How much of an export is sent at once."""

_VALUE = re.compile(r"[\x21-\x7e]{1,200}")
_ACTOR = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
"""Whoever a key says that answers for it: a name as it is written somewhere."""
_BOUNDS = ("from", "to")
_MEDIA = {"ndjson": "application/x-ndjson", "csv": "text/csv"}


def _bound(call: Call, name: str) -> Bound:
    """`from` or `to`: a row's number, or a time.

    Raises:
        Malformed: `query_invalid`.
    """
    value = call.one(name, _bound_text)
    return None if value is None else read_bound(value)


def _bound_text(value: str) -> str:
    read_bound(value)
    return value


def _list(call: Call) -> Response:
    objects, actions = (call.many(name, matching(_VALUE)) for name in ("object", "action"))
    actors = call.many("actor", matching(_ACTOR))
    found = call.use.audit.read.listed(
        call.caller.environment,
        TrailFilter(objects, actors, actions),
        _bound(call, "from"),
        _bound(call, "to"),
        after=int(call.after or 0),
        at_most=call.page_size + 1,
    )
    return page(call, found, shown_row, lambda row: str(row.seq))


def _verify(call: Call) -> Response:
    since, until = _bound(call, "from"), _bound(call, "to")
    verdict = call.use.audit.verify(call.caller.environment, since, until, at_most=HASHED_AT_ONCE)
    return answer(shown_verdict(verdict))


def _form(value: str) -> str:
    if value not in _MEDIA:
        raise ValueError
    return value


def _begun(call: Call, *, at_most: int | None = None) -> tuple[TrailExport, str]:
    form = call.one("format", _form) or "ndjson"
    since, until = _bound(call, "from"), _bound(call, "to")
    return call.use.audit.export(call.caller.environment, since, until, at_most=at_most), form


def _in_pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Many rows at a time: a client that does not take a piece within seconds is given up (governor/web_server)."""
    piece = bytearray()
    for line in lines:
        piece += line
        if len(piece) >= PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


def _written(export: TrailExport, form: str) -> Iterator[bytes]:
    return export.lines(csv_row, HEADING) if form == "csv" else export.lines(line_of)


def _export(call: Call) -> Response:
    export, form = _begun(call)
    stretch = export.stretch

    def content() -> Iterator[bytes]:
        yield from _written(export, form)
        if form == "ndjson":
            yield export.manifest(form).line

    name = f"audit-{stretch.environment}-{stretch.first}-{stretch.last}.{form}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Audit-Rows": f"{stretch.first}-{stretch.last}",
    }
    return Response(_in_pieces(content()), mimetype=_MEDIA[form], headers=headers)


def _manifest(call: Call) -> Response:
    export, form = _begun(call, at_most=HASHED_AT_ONCE)
    for _ in _written(export, form):
        pass
    return answer(shown_manifest(export.manifest(form)))


ROUTES = (
    Route(
        "GET",
        "/api/v1/audit",
        _list,
        "Who did what, when and why, oldest first.",
        AuditOut,
        listing=True,
        query=("object", "actor", "action", *_BOUNDS),
    ),
    Route(
        "GET",
        "/api/v1/audit/verify",
        _verify,
        "Whether these rows are what was sealed, and which is the first that is not.",
        VerdictOut,
        query=_BOUNDS,
        problems=("period_empty", "report_too_long"),
    ),
    Route(
        "GET",
        "/api/v1/audit/export",
        _export,
        "These rows as a file. NDJSON ends with its manifest and can be verified without governor.",
        None,
        files=tuple(_MEDIA.values()),
        headers=("Audit-Rows",),
        query=("format", *_BOUNDS),
        problems=("period_empty",),
    ),
    Route(
        "GET",
        "/api/v1/audit/manifest",
        _manifest,
        "What an export of these rows holds: numbers, hashes, and the SHA-256 of its content.",
        ManifestOut,
        query=("format", *_BOUNDS),
        problems=("period_empty", "report_too_long"),
    ),
)
