"""Limits: what operators allow, and how much of it is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import Response

from governor.api.call import Call
from governor.api.limit_inputs import LimitChangeIn, NewLimitIn, ReasonIn
from governor.api.output import Output
from governor.api.responses import answer, etag
from governor.api.route import Route
from governor.api.shown_limits import CounterOut, LimitOut, shown_counter, shown_limit
from governor.domain.errors import Invalid
from governor.domain.limits import Limit
from governor.usecases.change_limit import LimitDraft
from governor.usecases.limit_history import seen_of

COLLECTION = "/api/v1/limits"


class LimitsOut(Output):
    """All limits of the environment that are not archived, oldest first."""

    data: list[LimitOut]


class CountersOut(Output):
    """The newest counters of a limit, newest window first."""

    data: list[CounterOut]


def shown_standing(
    call: Call, limit: Limit, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A limit as it stands, with what is pending."""
    pending = call.use.limit_history.pending_of(call.caller, limit)
    return answer(shown_limit(limit, pending), status, etag(seen_of(limit, pending)) | dict(headers or {}))


def _list(call: Call) -> Response:
    pending = call.use.limit_history.pending(call.caller)
    limits = call.use.queries.limits(call.caller)
    return answer({"data": [shown_limit(one, pending.get(one.id, ())) for one in limits]})


def _create(call: Call) -> Response:
    body = call.body(NewLimitIn)
    draft = LimitDraft(**body.model_dump(exclude={"reason"}))
    limit, replayed = call.use.change_limit.create(call.caller, draft, call.key, body.reason)
    headers = {"Location": f"{COLLECTION}/{limit.id}"} | ({"Idempotent-Replayed": "true"} if replayed else {})
    return shown_standing(call, limit, 201, headers)


def _read(call: Call, limit_id: str) -> Response:
    return shown_standing(call, call.use.queries.limit(call.caller, limit_id))


def _replace(call: Call, limit_id: str) -> Response:
    body, seen = call.body(LimitChangeIn), call.seen
    standing = call.use.queries.limit(call.caller, limit_id)
    changes = body.wanted()
    for fixed in ("id", "revision", "archived"):
        if changes.pop(fixed, getattr(standing, fixed)) != getattr(standing, fixed):
            raise Invalid("limit_identity", f"`{fixed}` is not changed this way.")
    if seen.moment is None:
        # What is left out is filled in from this look, so it must be what still stands when the change is made.
        seen = replace(seen, moment=call.use.limit_history.seen(call.caller, standing).moment)
    # What is left out stays as it was said for good: a raise for a time is not made to last by saying nothing of it.
    lasting = standing.for_good(call.use.queries.now())
    kept = {name: getattr(lasting, name) for name in LimitDraft.__dataclass_fields__}
    draft = LimitDraft(**kept | changes)
    return shown_standing(call, call.use.change_limit.update(call.caller, limit_id, draft, seen, body.said()))


def _archive(call: Call, limit_id: str) -> Response:
    reason, seen = call.body(ReasonIn).reason, call.seen
    return shown_standing(call, call.use.change_limit.archive(call.caller, limit_id, seen, reason))


def _counters(call: Call, limit_id: str) -> Response:
    found = call.use.queries.counters(call.caller, limit_id)
    return answer({"data": [shown_counter(counter) for counter in found]})


_STALE = ("limit_not_found", "precondition_required", "precondition_failed", "revision_stale")
ONE = f"{COLLECTION}/<limit_id>"

ROUTES = (
    Route("GET", COLLECTION, _list, "The limits in force.", LimitsOut),
    Route(
        "POST",
        COLLECTION,
        _create,
        "A new limit; it counts the exposure that already exists in its present window.",
        LimitOut,
        statuses=(201,),
        body=NewLimitIn,
        keyed=True,
        headers=("ETag", "Location", "Idempotent-Replayed"),
    ),
    Route("GET", ONE, _read, "One limit.", LimitOut, headers=("ETag",), problems=("limit_not_found",)),
    Route(
        "PUT",
        ONE,
        _replace,
        "Change cap and threshold, at once or later, for good or for a time. Usage stays, and so does what is left out."
        " Where raises need two, one is `pending` until another person confirms it.",
        LimitOut,
        body=LimitChangeIn,
        conditional=True,
        headers=("ETag",),
        problems=(*_STALE, "limit_identity", "too_many_changes"),
    ),
    Route(
        "DELETE",
        ONE,
        _archive,
        "Archive: it binds no new request; existing holds still settle. Where raises need two, so does this.",
        LimitOut,
        body=ReasonIn,
        body_optional=True,
        conditional=True,
        headers=("ETag",),
        problems=_STALE,
    ),
    Route(
        "GET",
        f"{ONE}/counters",
        _counters,
        "What is taken of a limit, counter by counter.",
        CountersOut,
        problems=("limit_not_found",),
    ),
)
