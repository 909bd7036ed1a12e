"""Where operators begin: what calls for them, what waits, how the day went, and whether everything is at work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import Response

from governor.console.charts import Chart, Kind, Series
from governor.console.page import Group, HowMany, Page
from governor.console.steer import limit_words
from governor.console.steer.alarms import (
    Alarm,
    drift,
    habits,
    missing_processes,
    old_doubt,
    provider_alarms,
    worst_first,
)
from governor.console.steer.attention import (
    deaf,
    governor_stops,
    nearly_taken,
    out_of_reach,
    second_words,
    stops,
)
from governor.console.steer.last_day import day_chart
from governor.console.steer.limits import exposure_chart, raises_waiting
from governor.console.visit import Visit
from governor.console.words import spaced
from governor.domain.credentials import Role
from governor.domain.doubt import AGE_BUCKETS, DoubtTotal
from governor.domain.environments import Environment
from governor.domain.limits import Limit, Scope
from governor.domain.outcome import Outcome
from governor.domain.processes import DUTIES, Attendance
from governor.domain.provider_health import ProviderHealth
from governor.domain.replay_of_past import Verdict
from governor.domain.resolutions import standing
from governor.domain.runs import Run
from governor.domain.trail_care import TrailCare
from governor.domain.windows import WindowKind
from governor.usecases.unknown_desk import Desk

_PLOTTED_LIMITS = 4
"""Limits that bind everybody: whoever has more of them finds the others among the limits."""
_WINDOWS = 14
_IN_DOUBT_LOOKED_AT = 50
"""Those longest in doubt, among which somebody may have said how one ended."""
_RUNS_LOOKED_AT = 5
"""The newest reconciliations, among which one came to its end, or none did of late."""


def _overview(visit: Visit) -> Response:
    desk = visit.use.unknown_desk.listed(visit.caller, after=None, at_most=_IN_DOUBT_LOOKED_AT)
    board = visit.use.limit_board(visit.caller)
    here, work = visit.use.queries.environment(visit.caller), _at_work(visit)
    alarms = (
        *_asked_of_people(visit, here, desk),
        *_at_fault(visit, work, desk),
        *nearly_taken(board),
    )
    return visit.show(
        "overview.html",
        **_waiting(visit),
        **vars(work),
        duties=DUTIES,
        outcomes=Outcome,
        alarms=worst_first(alarms),
        in_doubt=_count(desk),
        governor_stops=governor_stops(here),
        standing=[one for one in board if one.limit.scope is Scope.ENVIRONMENT and one.usage],
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


def _count(desk: Desk) -> int:
    return sum(total.count for total in desk.totals)


def _asked_of_people(visit: Visit, here: Environment, desk: Desk) -> Iterator[Alarm]:
    """What is stopped until people say so, and what others have said that waits for this operator's word."""
    operates, me = visit.caller.role is Role.OPERATOR, visit.caller.credential.owner
    yield from stops(here, visit.use.queries.freezes(visit.caller), me if operates else None)
    if operates:
        said = (standing(one.request, one.proposals, desk.speaking) for one in desk.items)
        theirs = sum(one is not None and one.person != me for one in said)
        endings = HowMany(theirs, are_all=len(desk.items) == _count(desk))
        yield from second_words(raises_waiting(visit.use, visit.caller).number, endings)


@dataclass(frozen=True)
class _Work:
    """Whether processes, Stripe and the books are as they should be."""

    attendance: tuple[Attendance, ...]
    health: ProviderHealth
    reconciled: Run | None
    care: TrailCare


def _at_work(visit: Visit) -> _Work:
    oversight, here = visit.use.oversight, visit.caller.environment
    return _Work(
        oversight.processes([here]),
        oversight.provider(here),
        _last_reconciliation(visit),
        visit.use.audit.care.of(here),
    )


def _at_fault(visit: Visit, work: _Work, desk: Desk) -> Iterator[Alarm]:
    """What is not as it should be, whoever has to mend it."""
    yield from missing_processes(work.attendance)
    yield from out_of_reach(visit.use.rules.read.out_of_reach(visit.caller))
    yield from provider_alarms(work.health, _count(desk))
    yield from old_doubt(desk.totals)
    yield from drift(work.reconciled, work.care, work.health.at)
    yield from habits(visit.use.rules.read.habits(visit.caller))
    yield from deaf((one.endpoint for one in visit.use.messages.see.all(visit.caller)), work.health.at)


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
