"""Limits: what is allowed for whom, and how much of it is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import Response

from governor.console.application import UseCases
from governor.console.charts import Chart, Kind, Series
from governor.console.page import Group, HowMany, Page
from governor.console.steer import limit_words
from governor.console.steer.limit_words import figure
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.freezes import FREEZABLE
from governor.domain.limit_changes import may_be_withdrawn
from governor.domain.limits import Limit, Scope
from governor.domain.windows import WindowKind
from governor.usecases.callers import Caller
from governor.usecases.limit_board import Taken
from governor.usecases.limit_history import ExposurePoint

LIMITS = "/limits"
OVERSEERS = (Role.OPERATOR, Role.APPROVER, Role.AUDITOR)
_PLOTTED = 31


def _shown(text: str) -> str:
    if text != "archived":
        raise ValueError
    return text


def _list(visit: Visit) -> Response:
    """A tree from the widest scope to the narrowest: what binds everybody first, then each of many, then single ones."""
    archived = visit.one("show", _shown) is not None
    standing = (
        [Taken(one, None) for one in visit.use.queries.limits(visit.caller, archived=True) if one.archived]
        if archived
        else list(visit.use.limit_board(visit.caller))
    )
    keys = {one.id: (depth, one.name) for depth, one in visit.use.queries.credentials(visit.caller)}
    groups = [
        (words, _tree([one for one in standing if one.limit.scope is scope], keys))
        for scope, words in limit_words.SCOPES.items()
    ]
    return visit.show(
        "limits/list.html",
        pending={} if archived else visit.use.limit_history.pending(visit.caller),
        groups=[(words, found) for words, found in groups if found],
        archived=archived,
        say=limit_words,
    )


@dataclass(frozen=True)
class _Branch:
    """A limit in the tree; `name` is what the key is called that it is set for."""

    depth: int
    taken: Taken
    name: str | None = None


def _tree(of_scope: Sequence[Taken], keys: Mapping[str, tuple[int, str]]) -> list[_Branch]:
    """What each of many has, and below it what single ones have; keys below the keys that have made them."""
    whole = [_Branch(0, one) for one in of_scope if one.limit.value is None]
    below = 1 if whole and whole[0].taken.limit.scope is not Scope.ENVIRONMENT else 0
    order = {key: number for number, key in enumerate(keys)}
    single = sorted(
        (one for one in of_scope if one.limit.value is not None),
        key=lambda one: (order.get(one.limit.value or "", len(order)), one.limit.value, one.limit.id),
    )
    for one in single:
        depth, name = keys.get(one.limit.value or "", (0, None))
        whole.append(_Branch(below + depth, one, name))
    return whole


def _one(visit: Visit, limit_id: str) -> Response:
    limit = visit.use.queries.limit(visit.caller, limit_id)
    counters = visit.use.queries.counters(visit.caller, limit_id)
    points = visit.use.limit_history.exposure(visit.caller, limit_id, at_most=_PLOTTED)
    return visit.show(
        "limits/one.html",
        limit=limit,
        counters=counters,
        chart=exposure_chart(limit, points) if points else None,
        turn=None if limit.archived else limit.turn(visit.now),
        may_be_withdrawn=may_be_withdrawn,
        history=visit.use.limit_history.changes(visit.caller, limit_id),
        rolls=limit.window is WindowKind.ROLLING,
        stops=limit.scope in FREEZABLE and (limit.scope is Scope.ENVIRONMENT or limit.value is not None),
        say=limit_words,
    )


def exposure_chart(limit: Limit, points: Sequence[ExposurePoint]) -> Chart:
    """What was taken window by window, beside the cap that stood; of many counters, the fullest one."""
    rows = list(reversed(points))
    form = "%b %Y" if limit.window is WindowKind.MONTH else "%d %b"
    single = limit.scope is Scope.ENVIRONMENT or limit.value is not None
    return Chart(
        "Taken over time" if single else "The most that one of them took",
        f"{limit_words.sentence(limit)}: what was taken in each window, beside the cap that stood.",
        [f"{one.sums.window_start:{form}}" for one in rows],
        (
            Series("Taken", [one.sums.most for one in rows]),
            Series("Cap", [one.cap for one in rows]),
        ),
        Kind.LINE,
        lambda number: figure(limit, number),
        short=lambda number: limit_words.short(limit, number),
    )


def raises_waiting(use: UseCases, caller: Caller) -> HowMany:
    """Raises that wait for this person's word; nobody else's count is theirs."""
    if caller.role is not Role.OPERATOR:
        return HowMany(0)
    said = [one for changes in use.limit_history.pending(caller).values() for one in changes]
    mine = caller.credential.owner
    return HowMany(sum(one.change.waits and one.change.proposed.person != mine for one in said))


PAGES = (
    Page(
        "GET",
        LIMITS,
        _list,
        OVERSEERS,
        "Limits",
        query=("show",),
        group=Group.RULES,
        label="Limits",
        count=raises_waiting,
    ),
    Page("GET", f"{LIMITS}/<limit_id>", _one, OVERSEERS, "Limit", finds=(("lim_", "limit_id"),)),
)
