"""What was said of a limit: its history, the second person's word, and taking something back."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response

from governor.api.call import Call
from governor.api.limit_inputs import ReasonIn
from governor.api.limits import ONE, shown_standing
from governor.api.output import Output
from governor.api.responses import answer, page
from governor.api.route import Route
from governor.api.shown_limits import ExposureOut, LimitChangeOut, LimitOut, shown_change, shown_exposure
from governor.domain.limits import Limit


class LimitChangesOut(Output):
    """What was said of a limit, newest first."""

    data: list[LimitChangeOut]
    has_more: bool
    next_cursor: str | None


class ExposuresOut(Output):
    """What was taken of a limit, newest window first."""

    data: list[ExposureOut]


Deed = Callable[..., tuple[Limit, bool]]


def _list(call: Call, limit_id: str) -> Response:
    changes = call.use.limit_history.changes(call.caller, limit_id)
    seen = [one.change.id for one in changes].index(call.after) + 1 if call.after else 0
    return page(call, changes[seen : seen + call.page_size + 1], shown_change, lambda one: one.change.id)


def _confirm(call: Call, limit_id: str, change_id: str) -> Response:
    return _said(call, call.use.confirm_limit_change.confirm, limit_id, change_id)


def _withdraw(call: Call, limit_id: str, change_id: str) -> Response:
    return _said(call, call.use.confirm_limit_change.withdraw, limit_id, change_id)


def _said(call: Call, deed: Deed, limit_id: str, change_id: str) -> Response:
    reason = call.body(ReasonIn).reason
    limit, replayed = deed(call.caller, limit_id, change_id, reason, call.key)
    return shown_standing(call, limit, headers={"Idempotent-Replayed": "true"} if replayed else {})


def _exposure(call: Call, limit_id: str) -> Response:
    points = call.use.limit_history.exposure(call.caller, limit_id, call.one("value", str))
    return answer({"data": [shown_exposure(one) for one in points]})


_CHANGE = f"{ONE}/changes/<change_id>"
_WORD = ("limit_not_found", "limit_change_not_found", "limit_change_not_pending")

ROUTES = (
    Route(
        "GET",
        f"{ONE}/changes",
        _list,
        "Everything that was said of what a limit allows: by whom, why, and from when until when.",
        LimitChangesOut,
        listing=True,
        problems=("limit_not_found",),
    ),
    Route(
        "POST",
        f"{_CHANGE}/confirm",
        _confirm,
        "Another person says the same: from now on, or from its own time, the change counts.",
        LimitOut,
        body=ReasonIn,
        body_optional=True,
        keyed=True,
        headers=("ETag", "Idempotent-Replayed"),
        problems=(
            *_WORD,
            "limit_change_overtaken",
            "too_many_changes",
            "proposal_void",
            "raise_needs_human",
            "second_person_needed",
        ),
    ),
    Route(
        "POST",
        f"{_CHANGE}/withdraw",
        _withdraw,
        "Take back a proposal or what is to come, or end before its time what is for a time.",
        LimitOut,
        body=ReasonIn,
        body_optional=True,
        keyed=True,
        headers=("ETag", "Idempotent-Replayed"),
        problems=(*_WORD, "withdrawal_raises"),
    ),
    Route(
        "GET",
        f"{ONE}/exposure",
        _exposure,
        "What was taken of a limit, window by window, beside the cap that stood.",
        ExposuresOut,
        query=("value",),
        problems=("limit_not_found",),
    ),
)
