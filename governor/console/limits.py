"""Limits: what is allowed for whom, and how much of it is taken."""

from __future__ import annotations

from flask import Response

from governor.console import limit_words
from governor.console.charts import Chart, Kind, Series
from governor.console.limit_words import figure
from governor.console.page import Group, Page
from governor.console.trail import told
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.limits import Limit, Scope
from governor.domain.windows import WindowKind
from governor.ports.records import TrailFilter
from governor.usecases.limit_board import Taken
from governor.usecases.queries import ShownCounter

LIMITS = "/limits"
_OVERSEERS = (Role.OPERATOR, Role.APPROVER, Role.AUDITOR)
_HISTORY = 50
"""So many changes of one limit are told on its page; the trail has all of them."""
_PLOTTED = 31


def _shown(text: str) -> str:
    if text != "archived":
        raise ValueError
    return text


def _list(visit: Visit) -> Response:
    """From the widest scope to the narrowest, so that what binds everybody comes first."""
    archived = visit.one("show", _shown) is not None
    standing = (
        [Taken(one, None) for one in visit.use.queries.limits(visit.caller, archived=True) if one.archived]
        if archived
        else list(visit.use.limit_board(visit.caller))
    )
    groups = [
        (words, [one for one in standing if one.limit.scope is scope])
        for scope, words in limit_words.SCOPES.items()
    ]
    return visit.show(
        "limits/list.html",
        groups=[(words, found) for words, found in groups if found],
        archived=archived,
        say=limit_words,
    )


def _one(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    counters = visit.use.queries.counters(visit.caller, limit_id)
    rows = visit.use.audit.read.end_of(
        visit.environment, TrailFilter(objects=(limit_id,)), None, None, at_most=_HISTORY
    )
    return visit.show(
        "limits/one.html",
        limit=limit,
        counters=counters,
        chart=_chart(limit, counters) if _has_one_counter(limit) else None,
        history=[told(row) for row in reversed(rows)],
        rolls=limit.window is WindowKind.ROLLING,
        say=limit_words,
    )


def _has_one_counter(limit: Limit) -> bool:
    """Whether its counters follow one another, window by window."""
    one_value = limit.scope is Scope.ENVIRONMENT or limit.value is not None
    return one_value and limit.window in {WindowKind.DAY, WindowKind.MONTH}


def _chart(limit: Limit, counters: tuple[ShownCounter, ...]) -> Chart:
    rows = [one.row for one in reversed(counters[:_PLOTTED])]
    form = "%d %b" if limit.window is WindowKind.DAY else "%b %Y"
    return Chart(
        "Taken, window by window",
        f"What was settled and what is still reserved in each {limit.window}, against the cap of now.",
        [f"{row.window_start:{form}}" for row in rows],
        (
            Series("Settled", [row.settled for row in rows]),
            Series("Reserved", [row.reserved for row in rows]),
        ),
        Kind.BARS,
        lambda number: figure(limit, number),
        ("Cap", limit.cap),
        lambda number: limit_words.short(limit, number),
    )


PAGES = (
    Page(
        "GET",
        LIMITS,
        _list,
        _OVERSEERS,
        "Limits",
        query=("show",),
        group=Group.RULES,
        label="Limits",
    ),
    Page("GET", f"{LIMITS}/<limit_id>", _one, _OVERSEERS, "Limit", finds=(("lim_", "limit_id"),)),
)
