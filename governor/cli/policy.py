"""`governor policy`: approval rules, each in a file of JSON as the API takes it, for whoever operates the host."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from adapters.ids import TypeIds
from governor.api.rule_inputs import RuleIn
from governor.api.shown_rules import shown_revision, shown_rule
from governor.cli.json_files import FILE, fitting, one_in
from governor.cli.local import application, host_in
from governor.cli.options import OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed, shown
from governor.cli.simulate import TOLD, simulate
from governor.domain.rules import RuleMode
from governor.usecases.rule_drafts import RuleDraft, draft_of

_FILE = click.option(
    "--file",
    "file",
    type=FILE,
    help="The rule in JSON, as the API takes it and `policy show --json` gives it; - for standard input.",
)
_REVISION = click.option(
    "--revision", type=Whole(1), help="Change only this revision; the one in the file, or the present one."
)
_COLUMNS = ("id", "revision", "mode", "starts_at", "name", "words")


@click.group("policy", cls=Group)
def policy() -> None:
    """Approval rules: what waits for people, and what is refused whatever the limits allow."""


@policy.command("list")
@click.option("--archived", is_flag=True, help="The archived ones too.")
@environment_option
@data_option()
def list_(archived: bool, environment: str | None, data: Path | None) -> Said:
    """All rules, oldest first. Their order means nothing: the strictest that fires wins."""
    with application(data) as app:
        found = app.rules.read.all(host_in(app, environment), archived=archived)
    return listed(
        [shown_rule(one) for one in found], _COLUMNS, "no rule yet: what fits the limits goes through"
    )


@policy.command("create")
@_FILE
@environment_option
@data_option()
def create(file: Path | None, environment: str | None, data: Path | None) -> Said:
    """A new rule; what it adds up counts the exposure that exists already."""
    draft, _ = _read(file)
    with application(data) as app:
        # Each run is an intent of its own: whoever wants the same rule twice says it twice.
        made, _ = app.rules.change.create(host_in(app, environment), draft, TypeIds().new("cli"))
    return shown(shown_rule(made))


@policy.command("show")
@click.argument("rule_id")
@environment_option
@data_option()
def show(rule_id: str, environment: str | None, data: Path | None) -> Said:
    """One rule."""
    with application(data) as app:
        return shown(shown_rule(app.rules.read.one(host_in(app, environment), rule_id)))


@policy.command("set")
@click.argument("rule_id")
@_FILE
@click.option("--mode", type=OneOf(RuleMode), help="dry_run: recorded where it fires, and not acted on.")
@_REVISION
@environment_option
@data_option()
def set_(
    rule_id: str,
    file: Path | None,
    mode: RuleMode | None,
    revision: int | None,
    environment: str | None,
    data: Path | None,
) -> Said:
    """The rule says something else from now on. What waits already waits as it was told to."""
    if file is None and mode is None:
        raise click.UsageError("say what to change: a --file, or the --mode")
    given, read_from = _read(file) if file is not None else (None, None)
    with application(data) as app:
        caller = host_in(app, environment)
        before = app.rules.read.one(caller, rule_id)
        draft = given or draft_of(before)
        if mode is not None:
            draft = replace(draft, mode=mode)
        present = revision or read_from or before.revision
        return shown(shown_rule(app.rules.change.update(caller, rule_id, draft, present)))


@policy.command("archive")
@click.argument("rule_id")
@_REVISION
@environment_option
@data_option()
def archive(rule_id: str, revision: int | None, environment: str | None, data: Path | None) -> Said:
    """It is looked at no more; its history stays."""
    with application(data) as app:
        caller = host_in(app, environment)
        present = revision or app.rules.read.one(caller, rule_id).revision
        return shown(shown_rule(app.rules.change.archive(caller, rule_id, present)))


@policy.command("history")
@click.argument("rule_id")
@environment_option
@data_option()
def history(rule_id: str, environment: str | None, data: Path | None) -> Said:
    """Every revision of a rule, newest first, and who wrote it."""
    with application(data) as app:
        found = app.rules.read.history(host_in(app, environment), rule_id)
    columns = ("revision", "written_at", "written_by", "archived", "mode", "words")
    return listed([shown_revision(one) for one in found], columns, "nothing was written")


def _read(file: Path | None) -> tuple[RuleDraft, int | None]:
    """The rule in a file, and the revision that the file says it was read at."""
    if file is None:
        raise click.UsageError("say which rule: --file FILE, - for standard input")
    form = one_in(file)
    revision = form.get("revision")
    return fitting(RuleIn, form, TOLD).draft(), revision if isinstance(revision, int) else None


policy.add_command(simulate)
