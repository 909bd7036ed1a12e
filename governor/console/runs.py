"""Long work: asked for here, carried out where nobody waits for it, and looked at whenever somebody comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from flask import Response

from governor.console.amounts import typed_currency
from governor.console.fields import Field, Filled, Form
from governor.console.page import Group, Page
from governor.console.reconciled import reconciled
from governor.console.simulated import picture
from governor.console.typed_times import spelled_end
from governor.console.visit import Visit
from governor.console.watching import is_watching, look_anew
from governor.domain.credentials import Role
from governor.domain.errors import Refused
from governor.domain.runs import OVERSEERS, Run

RUNS = "/runs"
_OVERSEERS = tuple(role for role in (Role.OPERATOR, Role.AUDITOR, Role.APPROVER) if role in OVERSEERS)
_NOTHING = Form(())


@dataclass(frozen=True)
class Kind:
    """One kind of long work as people ask for it: what it is called, what it does, and what it asks."""

    name: str
    title: str
    does: str
    form: Form
    roles: tuple[Role, ...] = _OVERSEERS

    @property
    def takes(self) -> tuple[str, ...]:
        """The answers that a link to it may bring along."""
        return tuple(one.name for one in self.form.fields if one.name in {"from", "to"})

    @property
    def address(self) -> str:
        """Where it is asked for."""
        return f"{RUNS}/new/{self.name.replace('_', '-')}"


def _bounds(since: str, until: str) -> tuple[Field, Field]:
    """Where a period begins and ends, each with what it is when it is left out. A day is in it to its end."""
    return (
        Field("from", "From", since, optional=True, at_most=40),
        Field("to", "To", until, optional=True, at_most=40, read=spelled_end),
    )


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("Type a whole number of days, like 30.")
    return int(text)


_ROWS = _bounds(
    "A row's number, a date like 2026-11-30, or a time like 2026-11-30T08:00:00Z. Left out: the beginning.",
    "A row and a date are in it. Left out: the end.",
)

KINDS: Mapping[str, Kind] = {
    one.name: one
    for one in (
        Kind(
            "reconcile",
            "Reconcile",
            "Holds what governor's books say against what Stripe says, in both directions.",
            Form(
                (
                    Field("currency", "Currency", "Three letters, like usd.", read=typed_currency),
                    *_bounds(
                        "A date like 2026-11-30, or a time like 2026-11-30T08:00:00Z. Left out: 30 days before the end.",
                        "A date is in it to its end. Left out: until now.",
                    ),
                    Field("ask_provider", "Ask Stripe anew", kind="checkbox", optional=True),
                )
            ),
        ),
        Kind(
            "look_again",
            "Look again at everything in doubt",
            "Asks Stripe about every request whose outcome is unknown.",
            _NOTHING,
            (Role.OPERATOR,),
        ),
        Kind(
            "simulate_policy",
            "Try the policy on the past",
            "Says what the limits and rules in force would have made of the last days' refunds. Nothing is written.",
            Form((Field("days", "Days", "1 to 90, up to now.", at_most=3, read=_whole),)),
        ),
        Kind(
            "verify_trail",
            "Verify the trail",
            "Seals every row anew and holds it against what was sealed. The first row that does not fit is named.",
            Form((*_ROWS,)),
        ),
        Kind(
            "export_trail",
            "Export the trail",
            "Writes rows into a file that proves itself: its manifest has every hash.",
            Form(
                (
                    *_ROWS,
                    Field(
                        "format",
                        "Format",
                        kind="radios",
                        options=(("ndjson", "NDJSON, for programs"), ("csv", "CSV, for spreadsheets")),
                    ),
                )
            ),
        ),
    )
}
_STARTS = {
    "reconcile": {"currency": "usd", "ask_provider": "yes"},
    "export_trail": {"format": "ndjson"},
    "simulate_policy": {"days": "30"},
}


def _ask(kind: Kind, visit: Visit) -> Response:
    named = {name: value for name in kind.takes if (value := visit.one(name, str)) is not None}
    return visit.show("runs/ask.html", form=visit.form(start=_STARTS.get(kind.name, {}) | named), kind=kind)


def _begin(kind: Kind, visit: Visit) -> Response:
    filled = visit.form()
    try:
        given = {name: value for name, value in filled.read().items() if value is not None}
        if "ask_provider" in {one.name for one in kind.form.fields}:
            given["ask_provider"] = "ask_provider" in given
        run, _ = visit.use.long_work.runs.begin(visit.caller, kind.name, given, filled.once)
    except Refused as refusal:
        return visit.show_again("runs/ask.html", filled, refusal, kind=kind)
    return visit.go(f"{RUNS}/{run.id}")


def _list(visit: Visit) -> Response:
    found = visit.use.long_work.runs.listed(visit.caller, after=visit.after, at_most=visit.page_size + 1)
    return visit.show(
        "runs/list.html",
        listed=visit.listed(found, lambda run: run.id),
        kinds=KINDS,
        may_begin=[kind for kind in KINDS.values() if visit.caller.role in kind.roles],
    )


def _look(visit: Visit, run_id: str) -> Response:
    """How far it is. It can be left and come back to: the work goes on without anybody looking."""
    return _shown(visit, run_id, visit.form())


def _cancel(visit: Visit, run_id: str) -> Response:
    filled = visit.form()
    try:
        filled.read()
        visit.use.long_work.runs.cancel(visit.caller, run_id)
    except Refused as refusal:
        return _shown(visit, run_id, filled.refused(refusal), status=422)
    return visit.go(f"{RUNS}/{run_id}", "It stops at its next step.")


def _shown(visit: Visit, run_id: str, form: Filled, *, status: int = 200) -> Response:
    run = visit.use.long_work.runs.look(visit.caller, run_id)
    if is_watching(visit.sent) and not run.unfinished:
        return look_anew()
    kind = KINDS.get(run.kind)
    mine = run.person == visit.caller.credential.owner
    return visit.show(
        "runs/one.html",
        status=status,
        run=run,
        kind=kind,
        title=kind.title if kind else run.kind,
        form=form,
        chart=picture(run.summary) if run.kind == "simulate_policy" and run.summary is not None else None,
        books=reconciled(run.summary) if run.kind == "reconcile" and run.summary is not None else None,
        may_cancel=run.unfinished and (mine or visit.caller.role is Role.OPERATOR),
        home_name=partial(home_name, run),
        again=kind.address if kind and visit.caller.role in kind.roles else None,
    )


def home_name(run: Run, name: str) -> str:
    """What a file is called where it is taken: of where it is, and of which rows or of which run, so that no two are one."""
    told = run.summary or {}
    of = f"rows-{told['first']}-{told['last']}" if run.kind == "export_trail" and told else run.id
    return f"{run.environment}-{of}-{name}"


def _file(visit: Visit, run_id: str, name: str) -> Response:
    run = visit.use.long_work.runs.look(visit.caller, run_id)
    file, content = visit.use.long_work.runs.content(visit.caller, run_id, name)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(home_name(run, file.name))}"}
    return Response(content, mimetype=file.media_type, headers=headers)


def _asking(kind: Kind) -> tuple[Page, Page]:
    ask: Callable[..., Response] = partial(_ask, kind)
    begin: Callable[..., Response] = partial(_begin, kind)
    known: dict[str, Any] = {"form": kind.form}
    return (
        Page("GET", kind.address, ask, kind.roles, kind.title, query=kind.takes, **known),
        Page("POST", kind.address, begin, kind.roles, kind.title, **known),
    )


PAGES = (
    *(page for kind in KINDS.values() for page in _asking(kind)),
    Page(
        "GET", RUNS, _list, _OVERSEERS, "Long work", listing=True, group=Group.OPERATIONS, label="Long work"
    ),
    Page("GET", f"{RUNS}/<run_id>", _look, _OVERSEERS, "Run", form=_NOTHING, finds=(("run_", "run_id"),)),
    Page("POST", f"{RUNS}/<run_id>", _cancel, _OVERSEERS, "Run", form=_NOTHING),
    Page("GET", f"{RUNS}/<run_id>/files/<name>", _file, _OVERSEERS, "File of a run", is_file=True),
)
