"""The audit trail as runs: exporting it and verifying it, however long it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any, Final

from governor.domain.audit import Sealed
from governor.domain.runs import OVERSEERS
from governor.domain.trail_file import Manifest, line_of
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.callers import Caller
from governor.usecases.carrying import NDJSON, Carried
from governor.usecases.read_trail import ReadTrail, Stretch
from governor.usecases.run_long_work import Json
from governor.usecases.run_parameters import bound_in, choice_in, refuse_others
from governor.usecases.verify_trail import Verification

READING: Final = "reading the audit trail"

ROWS_A_STEP: Final = 100
"""Rows of the trail between two words about the progress."""


@dataclass(frozen=True)
class WatchedTrail(ReadTrail):
    """The trail, read by a run that says how far it is."""

    carried: Carried

    def along(self, stretch: Stretch) -> Iterator[Sealed]:
        """Every row of a stretch, as far as they exist."""
        total = stretch.last - stretch.first + 1
        for number, row in enumerate(super().along(stretch)):
            if number % ROWS_A_STEP == 0:
                self.carried.at(READING, number, total)
            yield row
        self.carried.at(READING, total, total)


@dataclass(frozen=True)
class ExportingTrail:
    """The audit trail as a file: `from`, `to` (a row's number or a moment), `format` (ndjson if not said, or csv)."""

    audit: AuditTrail
    csv_row: Callable[[Sealed], bytes]
    csv_heading: bytes
    told: Callable[[Manifest], Json]
    roles = OVERSEERS

    def read(self, parameters: Mapping[str, Any], now: datetime) -> Json:  # noqa: ARG002  as every work is asked
        """Without an end it goes up to where the trail ends when the run begins."""
        refuse_others(parameters, ("from", "to", "format"))
        form = choice_in(parameters, "format", ("ndjson", "csv"), "ndjson")
        return _bounds(parameters) | {"format": form}

    def carry(self, caller: Caller, parameters: Mapping[str, Any], carried: Carried) -> Json:
        """The rows, and their manifest: at the end of the file, or beside it for CSV."""
        form = parameters["format"]
        trail = WatchedTrail(self.audit.read.store, carried)
        since, until = bound_in(parameters, "from"), bound_in(parameters, "to")
        begun = replace(self.audit.export, trail=trail)(caller.environment, since, until)
        if form == "csv":
            lines = begun.lines(self.csv_row, self.csv_heading)
            carried.write("audit.csv", "text/csv", lines)
            carried.write("audit.csv.manifest", "application/json", [begun.manifest(form).line])
        else:
            carried.write("audit.ndjson", NDJSON, chain(begun.lines(line_of), _later(begun.manifest, form)))
        return self.told(begun.manifest(form))


@dataclass(frozen=True)
class VerifyingTrail:
    """Is the audit trail what was sealed: `from`, `to` (a row's number or a moment)."""

    audit: AuditTrail
    told: Callable[[Verification], Json]
    roles = OVERSEERS

    def read(self, parameters: Mapping[str, Any], now: datetime) -> Json:  # noqa: ARG002  as every work is asked
        """Without an end it goes up to where the trail ends when the run begins."""
        refuse_others(parameters, ("from", "to"))
        return _bounds(parameters)

    def carry(self, caller: Caller, parameters: Mapping[str, Any], carried: Carried) -> Json:
        """What verifying found."""
        trail = WatchedTrail(self.audit.read.store, carried)
        since, until = bound_in(parameters, "from"), bound_in(parameters, "to")
        verdict = replace(self.audit.verify, trail=trail)(caller.environment, since, until)
        self.audit.care.verified(verdict, caller.request_id)
        return self.told(verdict)


def _bounds(parameters: Mapping[str, Any]) -> Json:
    """Both bounds as they were said, each of which can be used."""
    for name in ("from", "to"):
        bound_in(parameters, name)
    return {name: parameters[name] for name in ("from", "to") if parameters.get(name) is not None}


def _later(manifest: Callable[[str], Manifest], form: str) -> Iterator[bytes]:
    """The manifest's line, made when it is asked for: behind everything that it is about."""
    yield manifest(form).line
