"""`governor limit`: limits and their counters, for whoever operates the host."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import click

from adapters.ids import TypeIds
from governor.api.shown_limits import shown_counter, shown_limit
from governor.bootstrap import Application
from governor.cli.limit_changes import confirm, history, standing, withdraw
from governor.cli.local import application, host_in
from governor.cli.options import WORD, Currency, Moment, OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.money import MAX_CAP
from governor.domain.seen import AsSeen
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind
from governor.usecases.callers import Caller
from governor.usecases.change_limit import LimitDraft
from governor.usecases.limit_series import Saying

_CAP = Whole(0, MAX_CAP)
_REVISION = click.option(
    "--revision", type=Whole(1), help="Change only this revision; the present one when not given."
)
_REASON = click.option("--reason", default="", help="Why; kept in the limit's history.")


@click.group("limit", cls=Group)
def limit() -> None:
    """Limits: an operator's caps, each scope × measure × currency × window."""


for _command in (confirm, withdraw, history):
    limit.add_command(_command)


@limit.command("create")
@click.option("--scope", type=OneOf(Scope), required=True)
@click.option("--value", type=WORD, help="Only this value counts; every value by itself when not given.")
@click.option("--measure", type=OneOf(Measure), default=Measure.AMOUNT.value, show_default=True)  # fmt: skip
@click.option("--currency", type=Currency(), help="For amounts: the one currency it counts.")
@click.option("--window", type=OneOf(WindowKind), required=True)
@click.option("--window-days", type=Whole(1, MAX_ROLLING_DAYS), help="For a rolling window.")
@click.option("--time-zone", type=WORD, default="UTC", show_default=True)
@click.option("--cap", type=_CAP, required=True, help="Minor units, or a number of requests.")
@click.option("--approval-above", type=_CAP, help="A larger request waits for an approver. Minor units.")
@_REASON
@environment_option
@data_option()
def create(environment: str | None, data: Path | None, reason: str, **asked: object) -> Said:
    """A new limit; it counts the exposure that exists already."""
    draft = LimitDraft(**asked)  # type: ignore[arg-type]  # click gives each option its type
    with application(data) as app:
        # Each run is an intent of its own: whoever wants the same limit twice says it twice.
        caller = host_in(app, environment)
        made, _ = app.change_limit.create(caller, draft, TypeIds().new("cli"), reason)
        return standing(app, caller, made)


@limit.command("again")
@click.argument("limit_id")
@_REASON
@environment_option
@data_option()
def again(limit_id: str, environment: str | None, data: Path | None, reason: str) -> Said:
    """A new limit like another, archived or not: it allows what that one allows for good."""
    with application(data) as app:
        caller = host_in(app, environment)
        like = app.queries.limit(caller, limit_id).for_good(app.queries.now())
        made, _ = app.change_limit.create(caller, _as_draft(like), TypeIds().new("cli"), reason)
        return standing(app, caller, made)


@limit.command("list")
@click.option("--archived", is_flag=True, help="The archived ones too.")
@environment_option
@data_option()
def list_(archived: bool, environment: str | None, data: Path | None) -> Said:
    """All limits, oldest first."""
    with application(data) as app:
        caller = host_in(app, environment)
        found = app.queries.limits(caller, archived=archived)
        pending = app.limit_history.pending(caller)
    columns = ("id", "scope", "value", "measure", "currency", "window", "cap", "approval_above", "revision")
    return listed(
        [shown_limit(one, pending.get(one.id, ())) for one in found],
        columns,
        "no limit yet: every refund is denied (no_limit)",
    )


@limit.command("show")
@click.argument("limit_id")
@environment_option
@data_option()
def show(limit_id: str, environment: str | None, data: Path | None) -> Said:
    """One limit, with what is to come."""
    with application(data) as app:
        caller = host_in(app, environment)
        return standing(app, caller, app.queries.limit(caller, limit_id))


@limit.command("set")
@click.argument("limit_id")
@click.option("--cap", type=_CAP, help="Minor units, or a number of requests. Usage stays.")
@click.option("--approval-above", type=_CAP, help="A larger request waits for an approver.")
@click.option("--no-approval", is_flag=True, help="No request waits for an approver because of this limit.")
@click.option("--from", "effective_at", type=Moment(), help="From when on it counts; at once when not given.")
@click.option("--until", type=Moment(), help="When it ends by itself; for good when not given.")
@_REASON
@_REVISION
@environment_option
@data_option()
def set_(
    limit_id: str,
    cap: int | None,
    approval_above: int | None,
    no_approval: bool,
    effective_at: datetime | None,
    until: datetime | None,
    reason: str,
    revision: int | None,
    environment: str | None,
    data: Path | None,
) -> Said:
    """Change a limit's cap or threshold. What it counts stays: that would be another limit."""
    if (cap, approval_above, no_approval) == (None, None, False) or (
        approval_above is not None and no_approval
    ):
        raise click.UsageError("say what to change, each thing once")
    with application(data) as app:
        caller = host_in(app, environment)
        before = app.queries.limit(caller, limit_id)
        draft = _as_draft(before.for_good(app.queries.now()))
        if cap is not None:
            draft = replace(draft, cap=cap)
        if approval_above is not None or no_approval:
            draft = replace(draft, approval_above=approval_above)
        said = Saying(reason, effective_at, until)
        seen = _seen(app, caller, before, revision)
        changed = app.change_limit.update(caller, limit_id, draft, seen, said)
        return standing(app, caller, changed)


def _seen(app: Application, caller: Caller, limit: Limit, revision: int | None) -> AsSeen:
    """The limit as it was just read; with `--revision`, at the one that whoever typed it has seen."""
    seen = app.limit_history.seen(caller, limit)
    return seen if revision is None else replace(seen, revision=revision)


def _as_draft(found: Limit) -> LimitDraft:
    return LimitDraft(**{name: getattr(found, name) for name in LimitDraft.__dataclass_fields__})


@limit.command("archive")
@click.argument("limit_id")
@_REASON
@_REVISION
@environment_option
@data_option()
def archive(
    limit_id: str, reason: str, revision: int | None, environment: str | None, data: Path | None
) -> Said:
    """It binds no new request; what is held still settles in its counters."""
    with application(data) as app:
        caller = host_in(app, environment)
        seen = _seen(app, caller, app.queries.limit(caller, limit_id), revision)
        return standing(app, caller, app.change_limit.archive(caller, limit_id, seen, reason))


@limit.command("counters")
@click.argument("limit_id")
@click.option(
    "--at-most", type=Whole(1, 1000), default=100, show_default=True, help="The newest windows first."
)
@environment_option
@data_option()
def counters(limit_id: str, at_most: int, environment: str | None, data: Path | None) -> Said:
    """What is settled, reserved and left of a limit."""
    with application(data) as app:
        found = app.queries.counters(host_in(app, environment), limit_id, at_most=at_most)
    columns = ("value", "window_start", "window_end", "cap", "settled", "reserved", "headroom")
    return listed([shown_counter(one) for one in found], columns, "nothing has been counted yet")
