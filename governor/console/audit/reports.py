"""Reports for auditors: a period, what was found in it, and the same as a file to take home."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from flask import Response

from governor.console.audit.report_forms import TOO_QUICK_SECONDS, asked_in, period_in, period_sent
from governor.console.audit.report_kinds import DECISIONS_MADE, FOUR_EYES, KINDS, ReportKind
from governor.console.audit.report_lines import Cells
from governor.console.audit.report_tables import Column, csv_of
from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.console.words import utc
from governor.domain.credentials import Role
from governor.domain.errors import Invalid
from governor.usecases.audit_reports import Report

_READERS = (Role.AUDITOR, Role.OPERATOR)
_QUICK: Final = "Quick approvals"
_SHOWN: Final = 200
"""Lines on one page: more of them nobody reads there."""
_IN_FILE: Final = 10_000
"""Lines in one file."""
_MORE: Final = (
    "There is more than is shown here: these are the first {count}, {order}. Ask for a shorter period, or take the file"
    " home."
)


def _look(kind: ReportKind, visit: Visit) -> Response:
    form = asked_in(visit, kind.form)
    tabs = _tabs(kind, visit)
    try:
        values = form.read()
        period = period_in(visit, values)
        found = kind.read(visit, values, _SHOWN)
        absent = _absent(kind, found.lines)
    except Invalid as refusal:
        return visit.show_again("reports/one.html", form, refusal, kind=kind, tabs=tabs, found=None)
    return visit.show(
        "reports/one.html",
        form=form,
        period=period,
        found=found,
        absent=absent,
        columns=_shown(kind, absent),
        verdict=kind.verdict(found.lines) if found.whole else None,
        cut=_cut_short(found, _MORE.format(count=_SHOWN, order=kind.order)),
        title=_QUICK if form.of("under") else kind.title,
        address=f"{visit.sent.path}/csv?{visit.sent.query_string.decode('ascii')}",
        kind=kind,
        tabs=tabs,
    )


def _cut_short(found: Report[Cells], too_many: str) -> str | None:
    """Why these lines are not all, or None when they are."""
    if found.looked_from is not None:
        return f"Not all of the period was looked through, only what is since {utc(found.looked_from)}: ask for a shorter one."
    return None if found.whole else too_many


def _absent(kind: ReportKind, lines: Sequence[Cells]) -> list[Column]:
    """The columns in which no line says anything: they are named once, and give their room to the others."""
    told = [any(cell is not None for cell in cells) for cells in zip(*lines, strict=True)]
    return [
        column for column, is_told in zip(kind.columns, told, strict=False) if column.label and not is_told
    ]


def _shown(kind: ReportKind, absent: Sequence[Column]) -> list[tuple[int, Column]]:
    """The columns of the page, each with its place in a line."""
    return [(n, one) for n, one in enumerate(kind.columns) if one.label and one not in absent]


def _tabs(kind: ReportKind, visit: Visit) -> list[tuple[str, str, None, bool]]:
    """All reports, about the same period, and what is asked of decisions most often."""
    period = period_sent(visit)
    quick = visit.one("under", str) is not None if kind is DECISIONS_MADE else False
    tabs = [(one.title, visit.address(one.path, **period), None, one is kind and not quick) for one in KINDS]
    address = visit.address(DECISIONS_MADE.path, **period, under=TOO_QUICK_SECONDS)
    return [*tabs, (_QUICK, address, None, quick)]


def _take_home(kind: ReportKind, visit: Visit) -> Response:
    values = asked_in(visit, kind.form).read()
    period = period_in(visit, values)
    found = kind.read(visit, values, _IN_FILE)
    cut = _cut_short(found, f"A file has {_IN_FILE} lines at most: ask for a shorter period.")
    if cut is not None:
        raise Invalid("report_too_long", cut)
    name = f"{visit.environment}-{kind.name}-{period.since:%Y-%m-%d}-{period.until:%Y-%m-%d}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(csv_of(kind.columns, found.lines), mimetype="text/csv", headers=headers)


def _pages(kind: ReportKind) -> tuple[Page, Page]:
    look: Callable[..., Response] = partial(_look, kind)
    take_home: Callable[..., Response] = partial(_take_home, kind)
    asks = tuple(one.name for one in kind.form.fields)
    shelf = (Group.AUDIT, "Reports") if kind is FOUR_EYES else (None, None)
    return (
        Page("GET", kind.path, look, _READERS, kind.title, query=asks, group=shelf[0], label=shelf[1]),
        Page("GET", f"{kind.path}/csv", take_home, _READERS, kind.title, query=asks, is_file=True),
    )


PAGES = tuple(page for kind in KINDS for page in _pages(kind))
