"""`governor audit`: the audit trail, looked at, verified, exported and anchored by whoever operates the host."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from adapters.signatures import SigningKey, VerifyingKeys, make_key, public_key
from governor.api.shown_audit import HEADING, csv_row, shown_manifest, shown_row, shown_verdict
from governor.cli.local import application, host_in
from governor.cli.options import data_option, environment_option
from governor.cli.pairs import pairs
from governor.cli.saying import REFUSED, Group, Said, listed, shown
from governor.domain.anchors import Anchor, read_anchors
from governor.domain.errors import Unavailable
from governor.domain.trail_care import KeptIn
from governor.domain.trail_file import Manifest, line_of
from governor.ports.records import TrailFilter
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.export_trail import TrailExport
from governor.usecases.read_trail import Bound, read_bound
from governor.usecases.verify_trail import Verification, verify_file

FORMS: Final = ("ndjson", "csv")
_FILE: Final = click.Path(path_type=Path, dir_okay=False, exists=True)


class BoundType(click.ParamType[int | datetime]):
    """A row's number, a date, or an RFC 3339 time with its zone."""

    name = "row|date|time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | datetime:  # noqa: ANN401  click's signature
        """The bound, or a usage error."""
        try:
            return read_bound(value)
        except ValueError:
            self.fail("it is a row's number, a date, or an RFC 3339 time with its zone", param, ctx)


since_option = click.option(
    "--from", "since", type=BoundType(), help="Inclusive; the first row when not given."
)
until_option = click.option("--to", "until", type=BoundType(), help="A row inclusive, a time exclusive; now when not given.")  # fmt: skip


@click.group("audit", cls=Group)
def audit() -> None:
    """The audit trail: who did what, when and why, each row sealing the one before it."""


audit.add_command(pairs)


@audit.command("list")
@environment_option
@click.option("--object", "objects", multiple=True, help="Only about this object; may repeat.")
@click.option(
    "--actor", "actors", multiple=True, help="Only by this person, credential, governor or host; may repeat."
)
@click.option("--action", "actions", multiple=True, help="Only this action; may repeat.")
@since_option
@until_option
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="The newest so many."
)
@data_option()
def list_(
    environment: str | None,
    objects: tuple[str, ...],
    actors: tuple[str, ...],
    actions: tuple[str, ...],
    since: Bound,
    until: Bound,
    limit: int,
    data: Path | None,
) -> Said:
    """Rows of the trail, the newest at the end."""
    with application(data) as app:
        name = host_in(app, environment).environment
        chosen = TrailFilter(objects, actors, actions)
        found = app.audit.read.end_of(name, chosen, since, until, at_most=limit)
    rows = [shown_row(row) for row in found]
    return listed(rows, ("seq", "at", "actor", "action", "object"), "nothing of the kind")


@audit.command("verify")
@environment_option
@since_option
@until_option
@click.option("--anchor", "anchor_files", type=_FILE, multiple=True, help="Anchors kept elsewhere: a line each, or a log; may repeat.")  # fmt: skip
@click.option(
    "--public-key", "key_files", type=_FILE, multiple=True, help="Who may have signed them; may repeat."
)
@click.option("--file", "export", type=_FILE, help="Verify an NDJSON export; no database is needed.")
@data_option()
def verify(
    environment: str | None,
    since: Bound,
    until: Bound,
    anchor_files: tuple[Path, ...],
    key_files: tuple[Path, ...],
    export: Path | None,
    data: Path | None,
) -> Said:
    """Seal every row anew: exit 0 when the trail is intact, 1 with the first row that is not.

    A chain cannot show that its end was cut off, or that all of it was written anew. Give anchors that were kept
    elsewhere with --anchor, and the key that signed them with --public-key.
    """
    anchors, keys = _anchors(anchor_files), _keys(key_files)
    if export is not None:
        if since is not None or isinstance(until, datetime):
            raise click.UsageError("of a file only --to with a row's number can be said")
        with export.open("rb") as lines:
            return _said(verify_file(lines, until, anchors=anchors, keys=keys))
    with application(data) as app:
        name = host_in(app, environment).environment
        verdict = app.audit.verify(name, since, until, anchors=anchors, keys=keys)
        with _noted():
            app.audit.care.verified(verdict)
    return _said(verdict)


@contextmanager
def _noted() -> Iterator[None]:
    """What was found is said all the same when no note of it can be kept: by a role that only reads."""
    try:
        yield
    except Unavailable as error:
        click.echo(f"warning: no note of this is kept in the database ({error.code})", err=True)


def _anchors(files: Iterable[Path]) -> list[Anchor]:
    anchors: list[Anchor] = []
    for file in files:
        try:
            anchors += read_anchors(file.read_text(encoding="utf-8").splitlines())
        except ValueError:
            raise click.UsageError(f"{file} holds something else than anchors") from None
    return anchors


def _keys(files: Iterable[Path]) -> VerifyingKeys | None:
    try:
        keys = [public_key(file) for file in files]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return VerifyingKeys(keys) if keys else None


def _said(verdict: Verification) -> Said:
    held = f"{verdict.anchors} anchored rows, {verdict.signatures} signatures of known keys"
    rows = f"{verdict.environment}: rows {verdict.first} to {verdict.last}"
    broken = verdict.broken
    if broken is None:
        return Said(shown_verdict(verdict), f"intact: {rows}; {held}; the last hash is {verdict.hash}")
    first = f"{broken.code}: row {broken.seq}: expected {broken.expected}, found {broken.found}"
    return Said(shown_verdict(verdict), f"{first}\nbroken: {rows}, {verdict.rows} whole; {held}", REFUSED)


@audit.command("export")
@environment_option
@since_option
@until_option
@click.option("--format", "form", type=click.Choice(FORMS), default="ndjson", show_default=True)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The file; the manifest of a CSV goes beside it.")  # fmt: skip
@data_option()
def export(
    environment: str | None, since: Bound, until: Bound, form: str, output: Path, data: Path | None
) -> Said:
    """Write rows to a file, as they are now. NDJSON ends with its manifest and can be verified anywhere."""
    with application(data) as app:
        begun = app.audit.export(host_in(app, environment).environment, since, until)
        manifest = _write(begun, form, output)
    return shown(shown_manifest(manifest), first=f"written: {output}")


def _write(begun: TrailExport, form: str, output: Path) -> Manifest:
    """Under another name until it is whole: what has the right name has its manifest."""
    partial = output.with_name(f"{output.name}.partial")
    try:
        with partial.open("wb") as file:
            file.writelines(begun.lines(csv_row, HEADING) if form == "csv" else begun.lines(line_of))
            manifest = begun.manifest(form)
            if form == "ndjson":
                file.write(manifest.line)
        if form == "csv":
            output.with_name(f"{output.name}.manifest").write_bytes(manifest.line)
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
    return manifest


@audit.command("anchor")
@environment_option
@click.option("--key-file", type=_FILE, help="Sign with this key; GOVERNOR_AUDIT_KEY_FILE when not given.")
@data_option()
def anchor(environment: str | None, key_file: Path | None, data: Path | None) -> Said:
    """Say where the trail ends, in one line: an anchor, if it is kept where nobody of the database can write."""
    with application(data) as app:
        made = _signing(app.audit, key_file).anchor(host_in(app, environment).environment)
        with _noted():
            app.audit.care.anchored(made, KeptIn.COMMAND)
    return Said(made.told, json.dumps(made.told))


def _signing(trail: AuditTrail, key_file: Path | None) -> AuditTrail:
    if key_file is None:
        return trail
    try:
        return replace(trail, anchor=replace(trail.anchor, signer=SigningKey(key_file)))
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@audit.command("keygen")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def keygen(file: Path) -> Said:
    """Make an Ed25519 key that signs anchors: FILE keeps its secret half, FILE.pub verifies."""
    try:
        name, public = make_key(file)
    except FileExistsError as error:
        raise click.UsageError(f"{error.filename} is there already; no key is overwritten") from None
    except OSError as error:
        raise click.UsageError(f"{file} cannot be written: {error.strerror}") from None
    return shown({"key": name, "file": str(file), "public": str(public)})
