"""What waits for approvers, in the order in which it should be looked at; and what one has decided oneself."""

from __future__ import annotations

from datetime import datetime, timedelta

from flask import Response

from governor.console.application import UseCases
from governor.console.approve.marks import marks_of
from governor.console.fields import Form
from governor.console.page import Group, HowMany, Page
from governor.console.visit import Listed, Visit
from governor.domain.credentials import Role
from governor.usecases.callers import Caller
from governor.usecases.waiting_holds import Queue, Waiting

INBOX = "/holds"
DECIDED = f"{INBOX}/decided"
OVERSEERS = (Role.APPROVER, Role.OPERATOR, Role.AUDITOR)
EXPIRING = timedelta(hours=8)
"""A working day: what ends sooner is looked at first."""

NOT_BY_ME = {
    "approved_already": "yours is counted",
    "self_approval": "not by you: you asked",
    "above_own_limit": "more than you may",
    "second_person_needed": "not by you: one hand with who approved",
}
"""Why one cannot approve it oneself, in as many words as a line has room for."""

_VIEWS = {"mine": "For me", "team": "All", "expiring": "Ending soon"}


def line_text(one: Waiting) -> str:
    """A hold as it is shown, as the form of several holds sends it."""
    return f"{one.hold.id}:{one.hold.version}:{one.hold.digest}"


def _view(text: str) -> str:
    if text not in _VIEWS:
        raise ValueError
    return text


def _inbox(visit: Visit) -> Response:
    """What was escalated and then the riskiest first.

    What is asked for `since` is announced to an open list, and never put between what somebody is looking at.
    """
    view = visit.one("view", _view) or ("mine" if visit.caller.role is Role.APPROVER else "team")
    since = visit.moment("since") or visit.now
    queue = visit.use.approval_desk.queue(visit.caller)
    shown = [one for one in queue.lines if _belongs(one, view, visit)]
    return visit.show(
        "approvals/inbox.html",
        waiting=shown,
        more_than=None if queue.whole else len(queue.lines),
        view=view,
        since=since.isoformat(),
        appeared=sum(one.request.created_at > since for one in shown),
        tabs=_tabs(visit, queue, view),
        not_by_me=NOT_BY_ME,
        attend=visit.form_beside(Form(())),
        line_text=line_text,
        marks_of=marks_of,
        may_vote=visit.caller.role is Role.APPROVER,
    )


def _tabs(visit: Visit, queue: Queue, view: str) -> list[tuple[str, str, HowMany | None, bool]]:
    """The views of what waits; whoever approves has one of what they have decided, too."""
    views: list[tuple[str, str, HowMany | None, bool]] = [
        (words, visit.address(INBOX, view=name), _how_many(visit, queue, name), name == view)
        for name, words in _VIEWS.items()
    ]
    if visit.caller.role is Role.APPROVER:
        views.append(("Decided by me", visit.address(DECIDED), None, view == "decided"))
    return views


def _decided(visit: Visit) -> Response:
    """What one has said oneself, newest first."""
    size = visit.page_size
    found = visit.use.approval_desk.decided(visit.caller, before=visit.moment("before"), at_most=size + 1)
    shown = found[:size]
    older = visit.address(DECIDED, before=shown[-1].at.isoformat()) if len(found) > size else None
    return visit.show(
        "approvals/decided.html",
        listed=Listed(shown, older),
        tabs=_tabs(visit, visit.use.approval_desk.queue(visit.caller), "decided"),
    )


def _how_many(visit: Visit, queue: Queue, view: str) -> HowMany:
    """How many a view has; what the queue has no room for may be among them."""
    rest = queue.rest_ends_at
    are_all = rest is None or (view == "expiring" and not _ends_soon(rest, visit))
    return HowMany(sum(_belongs(one, view, visit) for one in queue.lines), are_all)


def _belongs(one: Waiting, view: str, visit: Visit) -> bool:
    if view == "mine":
        return one.for_me
    return view == "team" or _ends_soon(one.hold.expires_at, visit)


def _ends_soon(moment: datetime, visit: Visit) -> bool:
    return moment - visit.now <= EXPIRING


def _count(use: UseCases, caller: Caller) -> HowMany:
    """What waits for this person; nothing waits for whoever only looks."""
    if caller.role is not Role.APPROVER:
        return HowMany(0)
    queue = use.approval_desk.queue(caller)
    return HowMany(sum(one.for_me for one in queue.lines), queue.whole)


PAGES = (
    Page(
        "GET",
        INBOX,
        _inbox,
        OVERSEERS,
        "Waiting for approval",
        query=("view", "since"),
        group=Group.APPROVALS,
        label="Waiting for approval",
        count=_count,
        home_of=(Role.APPROVER,),
    ),
    Page("GET", DECIDED, _decided, (Role.APPROVER,), "Decided by me", query=("before", "limit")),
)
