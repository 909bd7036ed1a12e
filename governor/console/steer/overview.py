"""Where operators begin: what calls for them, what waits, how the day went, and whether everything is at work."""

from __future__ import annotations

from typing import Any

from flask import Response

from governor.console.charts import Chart, Kind, Series
from governor.console.page import Group, Page
from governor.console.steer import limit_words
from governor.console.steer.alarms import (
    drift,
    habits,
    missing_processes,
    old_doubt,
    provider_alarms,
    worst_first,
)
from governor.console.steer.last_day import day_chart
from governor.console.steer.limits import exposure_chart
from governor.console.visit import Visit
from governor.console.words import spaced
from governor.domain.credentials import Role
from governor.domain.doubt import AGE_BUCKETS, DoubtTotal
from governor.domain.limits import Limit, Scope
from governor.domain.outcome import Outcome
from governor.domain.processes import DUTIES
from governor.domain.replay_of_past import Verdict
from governor.domain.runs import Run
from governor.domain.windows import WindowKind

_PLOTTED_LIMITS = 4
"""Limits that bind everybody: whoever has more of them finds the others among the limits."""
_WINDOWS = 14
_RUNS_LOOKED_AT = 5
"""The newest reconciliations, among which one came to its end, or none did of late."""


def _overview(visit: Visit) -> Response:
    desk = visit.use.unknown_desk.listed(visit.caller, after=None, at_most=1)
    standing = visit.use.limit_board(visit.caller)
    return visit.show(
        "overview.html",
        **_waiting(visit),
        **_at_work(visit, desk.totals),
        in_doubt=sum(total.count for total in desk.totals),
        standing=[one for one in standing if one.limit.scope is Scope.ENVIRONMENT and one.usage],
        doubt=_doubt(desk.totals),
        charts=_exposures(visit),
        say=limit_words,
    )


def _waiting(visit: Visit) -> dict[str, Any]:
    """What waits for whom, and what became of all that was asked for in a day."""
    proposed = visit.use.limit_history.pending(visit.caller).values()
    day = visit.use.oversight.last_day(visit.caller)
    return {
        "raises": sum(one.change.waits for changes in proposed for one in changes),
        "depth": visit.use.oversight.last_day.depth(visit.caller),
        "day": day,
        "day_chart": day_chart(day),
        "verdicts": [
            (words, day.verdicts[verdict], day.verdicts[verdict] * 100 // max(1, day.total))
            for words, verdict in (
                ("Let through at once", Verdict.LET_THROUGH),
                ("Held for approval", Verdict.HELD),
                ("Denied", Verdict.DENIED),
            )
        ],
    }


def _at_work(visit: Visit, doubt: tuple[DoubtTotal, ...]) -> dict[str, Any]:
    """Whether processes, provider and books are as they should be, and what calls for somebody because they are not."""
    oversight, here = visit.use.oversight, visit.caller.environment
    attendance, health = oversight.processes([here]), oversight.provider(here)
    reconciled, care = _last_reconciliation(visit), visit.use.audit.care.of(here)
    alarms = [
        *missing_processes(attendance),
        *provider_alarms(health),
        *old_doubt(doubt),
        *drift(reconciled, care, health.at),
        *habits(visit.use.rules.read.habits(visit.caller)),
    ]
    return {
        "attendance": attendance,
        "duties": DUTIES,
        "health": health,
        "outcomes": Outcome,
        "reconciled": reconciled,
        "care": care,
        "alarms": worst_first(alarms),
    }


def _last_reconciliation(visit: Visit) -> Run | None:
    """The newest that came to its end."""
    runs = visit.use.long_work.runs.listed(visit.caller, kind="reconcile", at_most=_RUNS_LOOKED_AT)
    return next((one for one in runs if one.summary is not None), None)


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
