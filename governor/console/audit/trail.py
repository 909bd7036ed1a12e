"""The audit trail for people: who did what to what, what was before and is after, newest first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from flask import Response

from governor.console import typed_times
from governor.console.action_words import ACTIONS, action
from governor.console.audit.told_rows import told
from governor.console.page import Group, Page
from governor.console.visit import Listed, Visit
from governor.domain.audit import Sealed
from governor.domain.audit_questions import LIMIT_CHANGES
from governor.domain.credentials import Role
from governor.http.query import matching, printable
from governor.ports.records import TrailFilter
from governor.usecases.read_trail import Bound, read_bound

TRAIL = "/audit"
_READERS = (Role.AUDITOR, Role.OPERATOR)
_VALUE = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_CHOSEN: Final = ("object", "actor", "action")

DECISIONS = ("hold.decided", "hold.taken_back", "refund_request.returned")
FREEZES = ("freeze.began", "freeze.repeated", "freeze.end_proposed", "freeze.ended")
QUESTIONS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Everything", ()),
    ("Decisions of people", (*DECISIONS, "stand_in.named", "stand_in.ended")),
    ("Limits", (*LIMIT_CHANGES, "limit.raised_by_requester")),
    ("Rules", ("rule.created", "rule.changed", "rule.archived")),
    (
        "Keys and roles",
        (
            "credential.created",
            "credential.rotated",
            "credential.revoked",
            "person.disabled",
            "person.enabled",
        ),
    ),
    ("Settings", ("environment.founded", "environment.changed", "environment.acknowledged")),
    ("Stops", ("environment.stopped", "environment.fenced", *FREEZES)),
    ("Resolutions", ("refund_request.resolution_proposed", "refund_request.resolved")),
    ("Refused attempts", ("permission.refused",)),
    ("Long work", ("run.asked", "run.ended")),
)
"""What is asked most often, each as the actions that answer it."""


def _since(text: str) -> Bound:
    return read_bound(text) if text else None


def _until(text: str) -> Bound:
    """As an end a day is there to its last instant."""
    bound = _since(text)
    return bound if bound is None or isinstance(bound, int) else typed_times.end(text)


def _misread(bounds: Mapping[str, str]) -> dict[str, str]:
    """What cannot be read of the bounds, by name, in words for beside what was typed."""
    wrong = {}
    for name, text in bounds.items():
        try:
            _until(text)
        except ValueError:
            wrong[name] = "Type a date like 2026-11-30."
    return wrong


def _typed(text: str) -> str:
    """What was asked about, perhaps pasted with blanks around it. Whoever answers for a key may be called anything."""
    return matching(_VALUE)(text.strip())


def _list(visit: Visit) -> Response:
    chosen = {name: visit.many(name, _typed) for name in _CHOSEN}
    bounds = {name: visit.one(name, printable) or "" for name in ("from", "to")}
    wrong, size = _misread(bounds), visit.page_size
    found = () if wrong else _found(visit, chosen, bounds, size + 1)
    rows = list(reversed(found))[:size]
    kept = {name: value for name, value in (chosen | bounds).items() if value}
    older = visit.address(TRAIL, **kept | {"to": str(rows[-1].seq - 1)}) if len(found) > size else None
    return visit.show(
        "trail/list.html",
        status=422 if wrong else 200,
        wrong=wrong,
        rows=[told(row) for row in rows],
        listed=Listed(rows, older),
        chosen=chosen,
        bounds=bounds,
        care=visit.use.audit.care.of(visit.environment),
        is_filtered=bool(kept),
        taken={} if wrong or any(chosen.values()) else kept,
        questions=_questions(visit, kept),
        actions=_actions(chosen["action"]),
    )


def _found(
    visit: Visit, chosen: Mapping[str, tuple[str, ...]], bounds: Mapping[str, str], at_most: int
) -> tuple[Sealed, ...]:
    wanted = TrailFilter(chosen["object"], chosen["actor"], chosen["action"])
    since, until = _since(bounds["from"]), _until(bounds["to"])
    return visit.use.audit.read.end_of(visit.environment, wanted, since, until, at_most=at_most)


def _questions(visit: Visit, kept: Mapping[str, str | Sequence[str]]) -> list[tuple[str, str, bool]]:
    """What is often asked, each with the rest of what was chosen: who, about what, and when."""
    rest = {name: value for name, value in kept.items() if name != "action"}
    here = kept.get("action", ())
    return [
        (
            words,
            visit.address(TRAIL, **rest | ({"action": actions} if actions else {})),
            tuple(here) == actions,
        )
        for words, actions in QUESTIONS
    ]


def _actions(chosen: Sequence[str]) -> list[tuple[str, str]]:
    """Every action that can be asked for, by its words."""
    return sorted(((one, action(one)) for one in {*ACTIONS, *chosen}), key=lambda one: one[1])


PAGES = (
    Page(
        "GET",
        TRAIL,
        _list,
        _READERS,
        "Audit trail",
        query=(*_CHOSEN, "from", "to", "limit"),
        group=Group.AUDIT,
        label="Audit trail",
        home_of=(Role.AUDITOR,),
    ),
)
