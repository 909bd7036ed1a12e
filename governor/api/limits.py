"""Limits: what operators allow, and how much of it is taken."""

from __future__ import annotations

from flask import Response

from governor.api.call import Call
from governor.api.inputs import LimitChangeIn, LimitIn
from governor.api.output import Output
from governor.api.responses import answer, revision_tag
from governor.api.route import Route
from governor.api.shown_settings import CounterOut, LimitOut, shown_counter, shown_limit
from governor.domain.errors import Invalid
from governor.domain.limits import Limit
from governor.usecases.change_limit import LimitDraft

COLLECTION = "/api/v1/limits"


class LimitsOut(Output):
    """All limits of the environment that are not archived, oldest first."""

    data: list[LimitOut]


class CountersOut(Output):
    """The newest counters of a limit, newest window first."""

    data: list[CounterOut]


def _draft(body: LimitIn) -> LimitDraft:
    return LimitDraft(**body.model_dump())


def _shown(limit: Limit, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return answer(shown_limit(limit), status, revision_tag(limit.revision) | (headers or {}))


def _list(call: Call) -> Response:
    return answer({"data": [shown_limit(limit) for limit in call.use.queries.limits(call.caller)]})


def _create(call: Call) -> Response:
    limit, replayed = call.use.change_limit.create(call.caller, _draft(call.body(LimitIn)), call.key)
    headers = {"Location": f"{COLLECTION}/{limit.id}"} | ({"Idempotent-Replayed": "true"} if replayed else {})
    return _shown(limit, 201, headers)


def _read(call: Call, limit_id: str) -> Response:
    return _shown(call.use.queries.limit(call.caller, limit_id))


def _replace(call: Call, limit_id: str) -> Response:
    standing = call.use.queries.limit(call.caller, limit_id)
    changes = call.body(LimitChangeIn).model_dump(exclude_unset=True)
    for fixed in ("id", "revision", "archived"):
        if changes.pop(fixed, getattr(standing, fixed)) != getattr(standing, fixed):
            raise Invalid("limit_identity", f"`{fixed}` is not changed this way.")
    kept = {name: getattr(standing, name) for name in LimitDraft.__dataclass_fields__}
    changed = call.use.change_limit.update(call.caller, limit_id, LimitDraft(**kept | changes), call.revision)
    return _shown(changed)


def _archive(call: Call, limit_id: str) -> Response:
    return _shown(call.use.change_limit.archive(call.caller, limit_id, call.revision))


def _counters(call: Call, limit_id: str) -> Response:
    found = call.use.queries.counters(call.caller, limit_id)
    return answer({"data": [shown_counter(counter) for counter in found]})


_STALE = ("limit_not_found", "precondition_required", "precondition_failed", "revision_stale")
_ONE = f"{COLLECTION}/<limit_id>"

ROUTES = (
    Route("GET", COLLECTION, _list, "The limits in force.", LimitsOut),
    Route(
        "POST",
        COLLECTION,
        _create,
        "A new limit; it counts the exposure that already exists in its present window.",
        LimitOut,
        statuses=(201,),
        body=LimitIn,
        keyed=True,
        headers=("ETag", "Location", "Idempotent-Replayed"),
    ),
    Route("GET", _ONE, _read, "One limit.", LimitOut, headers=("ETag",), problems=("limit_not_found",)),
    Route(
        "PUT",
        _ONE,
        _replace,
        "Change cap and threshold. Usage stays; what a limit counts cannot change. What is left out stays.",
        LimitOut,
        body=LimitChangeIn,
        conditional=True,
        headers=("ETag",),
        problems=(*_STALE, "limit_identity"),
    ),
    Route(
        "DELETE",
        _ONE,
        _archive,
        "Archive: it binds no new request; existing holds still settle.",
        LimitOut,
        conditional=True,
        headers=("ETag",),
        problems=_STALE,
    ),
    Route(
        "GET",
        f"{_ONE}/counters",
        _counters,
        "What is taken of a limit, counter by counter.",
        CountersOut,
        problems=("limit_not_found",),
    ),
)
