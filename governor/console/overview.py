"""Where operators begin: what stops, what waits, what nobody knows, and how much of the limits is taken."""

from __future__ import annotations

from flask import Response

from governor.console import limit_words
from governor.console.alarms import missing_processes, worst_first
from governor.console.charts import Chart, Kind, Series
from governor.console.limits import exposure_chart
from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.console.words import spaced
from governor.domain.credentials import Role
from governor.domain.doubt import AGE_BUCKETS, DoubtTotal
from governor.domain.limits import Limit, Scope
from governor.domain.processes import DUTIES
from governor.domain.windows import WindowKind

_PLOTTED_LIMITS = 4
"""Limits that bind everybody: whoever has more of them finds the others among the limits."""
_WINDOWS = 14


def _overview(visit: Visit) -> Response:
    desk = visit.use.unknown_desk.listed(visit.caller, after=None, at_most=1)
    waiting = visit.use.approval_desk.waiting(visit.caller)
    proposed = visit.use.limit_history.pending(visit.caller).values()
    standing = visit.use.limit_board(visit.caller)
    attendance = visit.use.oversight.processes([visit.caller.environment])
    return visit.show(
        "overview.html",
        waiting=len(waiting),
        oldest=min((one.request.created_at for one in waiting), default=None),
        in_doubt=sum(total.count for total in desk.totals),
        raises=sum(one.change.waits for changes in proposed for one in changes),
        standing=[one for one in standing if one.limit.scope is Scope.ENVIRONMENT and one.usage],
        doubt=_doubt(desk.totals),
        charts=_exposures(visit),
        say=limit_words,
        attendance=attendance,
        duties=DUTIES,
        alarms=worst_first(missing_processes(attendance)),
    )


def _doubt(totals: tuple[DoubtTotal, ...]) -> Chart:
    """How many requests are in doubt, by how long they have been."""
    names = [name for name, _ in AGE_BUCKETS]
    counts = [sum(one.count for one in totals if one.age_bucket == name) for name in names]
    return Chart(
        "In doubt, by age",
        "How many requests have been in doubt for how long. After 20 hours a request is not sent again.",
        [spaced(name).replace("under ", "< ").replace("over ", "> ") for name in names],
        (Series("Requests", counts if any(counts) else [None] * len(names)),),
        Kind.BARS,
    )


def _exposures(visit: Visit) -> list[tuple[Limit, Chart]]:
    """The limits that bind everybody, each with its last windows."""
    binding = [
        limit
        for limit in visit.use.queries.limits(visit.caller)
        if limit.scope is Scope.ENVIRONMENT and limit.window is not WindowKind.REQUEST
    ]
    found = []
    for limit in binding[:_PLOTTED_LIMITS]:
        points = visit.use.limit_history.exposure(visit.caller, limit.id, at_most=_WINDOWS)
        if points:
            found.append((limit, exposure_chart(limit, points)))
    return found


PAGES = (
    Page(
        "GET",
        "/overview",
        _overview,
        (Role.OPERATOR, Role.AUDITOR),
        "Overview",
        group=Group.OPERATIONS,
        label="Overview",
        home_of=(Role.OPERATOR,),
    ),
)
