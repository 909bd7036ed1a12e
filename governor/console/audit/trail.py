"""The audit trail for people: who did what to what, what was before and is after, newest first."""

from __future__ import annotations

import re
from typing import Any

from flask import Response

from governor.console.page import Group, Page
from governor.console.visit import Listed, Visit
from governor.domain.audit import Sealed
from governor.domain.audit_questions import LIMIT_CHANGES
from governor.domain.credentials import Role
from governor.http.query import matching
from governor.ports.records import TrailFilter
from governor.usecases.read_trail import Bound, read_bound

TRAIL = "/audit"
_READERS = (Role.AUDITOR, Role.OPERATOR)
_VALUE = re.compile(r"[\x21-\x7e]{1,200}")
_OWN = frozenset({"from", "to", "why", "person", "request_id", "address", "limits_revision"})
"""Facts with a place of their own; all the others are told by name."""

DECISIONS = ("hold.decided", "hold.taken_back", "refund_request.returned")
FREEZES = ("freeze.began", "freeze.repeated", "freeze.end_proposed", "freeze.ended")
QUESTIONS: tuple[tuple[str, dict[str, list[str]]], ...] = (
    ("Everything", {}),
    ("Decisions of people", {"action": [*DECISIONS, "stand_in.named", "stand_in.ended"]}),
    ("Limits", {"action": [*LIMIT_CHANGES, "limit.raised_by_requester"]}),
    ("Rules", {"action": ["rule.created", "rule.changed", "rule.archived"]}),
    ("Keys", {"action": ["credential.created", "credential.rotated", "credential.revoked"]}),
    ("People", {"action": ["person.disabled", "person.enabled"]}),
    ("Settings", {"action": ["environment.founded", "environment.changed", "environment.acknowledged"]}),
    ("Stops", {"action": ["environment.stopped", "environment.fenced", *FREEZES]}),
    ("Resolutions", {"action": ["refund_request.resolution_proposed", "refund_request.resolved"]}),
    ("Refused attempts", {"action": ["permission.refused"]}),
    ("Long work", {"action": ["run.asked", "run.ended"]}),
)
"""What is asked most often, each as the address that answers it."""


def _bound(visit: Visit, name: str) -> Bound:
    value = visit.one(name, _bound_text)
    return read_bound(value) if value else None


def _bound_text(value: str) -> str:
    if value:
        read_bound(value)
    return value


def _list(visit: Visit) -> Response:
    chosen = {name: visit.many(name, matching(_VALUE)) for name in ("object", "actor", "action")}
    wanted = TrailFilter(chosen["object"], chosen["actor"], chosen["action"])
    size = visit.page_size
    since, until = _bound(visit, "from"), _bound(visit, "to")
    found = visit.use.audit.read.end_of(visit.environment, wanted, since, until, at_most=size + 1)
    rows = list(reversed(found))[:size]
    filters = {name: values for name, values in chosen.items() if values}
    bounds = {name: visit.one(name, str) or "" for name in ("from", "to")}
    if len(found) > size:
        older = visit.address(TRAIL, **filters, **bounds | {"to": str(rows[-1].seq - 1)})
    else:
        older = None
    return visit.show(
        "trail/list.html",
        rows=[told(row) for row in rows],
        listed=Listed(rows, older),
        chosen=chosen,
        bounds=bounds,
        care=visit.use.audit.care.of(visit.environment),
        is_filtered=any(chosen.values()) or any(bounds.values()),
        taken={} if filters else {name: value for name, value in bounds.items() if value},
        questions=[(words, visit.address(TRAIL, **query)) for words, query in QUESTIONS],
    )


def told(row: Sealed) -> dict[str, Any]:
    """A row as people read it: what changed beside one another, then everything else that was said."""
    facts = row.entry.facts
    return {
        "row": row,
        "began": _began(facts.get("from"), facts.get("to")),
        "changes": _changes(facts.get("from"), facts.get("to")),
        "why": facts.get("why"),
        "person": facts.get("person"),
        "request_id": facts.get("request_id"),
        "address": facts.get("address"),
        "limits_revision": facts.get("limits_revision"),
        "others": {name: value for name, value in facts.items() if name not in _OWN},
    }


def _began(before: object, after: object) -> list[tuple[str, object]]:
    """What a thing is that was not there before, member by member; nothing for what was."""
    if before is not None or not isinstance(after, dict):
        return []
    return [(name, value) for name, value in sorted(after.items()) if value is not None]


def _changes(before: object, after: object) -> list[tuple[str, object, object]]:
    """Name, before, after, of what differs; a plain state is one of them, without a name."""
    if _began(before, after):
        return []
    if isinstance(before, dict) or isinstance(after, dict):
        old, new = (one if isinstance(one, dict) else {} for one in (before, after))
        names = sorted({*old, *new})
        return [(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]
    return [("state", before, after)] if before != after else []


PAGES = (
    Page(
        "GET",
        TRAIL,
        _list,
        _READERS,
        "Audit trail",
        query=("object", "actor", "action", "from", "to", "limit"),
        group=Group.AUDIT,
        label="Audit trail",
        home_of=(Role.AUDITOR,),
    ),
)
