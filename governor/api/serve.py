"""From a matched route to its handler: who calls, may they, does the query make sense. Then, and not before, work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from flask import Response, after_this_request, g, request

from governor.api.application import UseCases
from governor.api.auth import bearer_key
from governor.api.call import Call
from governor.api.permissions import authorise
from governor.api.route import READING, Route
from governor.domain.errors import Forbidden, Refused
from governor.http.cursors import Cursors
from governor.http.quota import Quota
from governor.http.request_line import check_accept
from governor.usecases.callers import Caller


def view_of(route: Route, use: UseCases, cursors: Cursors, quota: Quota | None) -> Callable[..., Response]:
    """The function that the framework calls for this route."""

    def view(**path_arguments: str) -> Response:
        check_accept(request.accept_mimetypes, route.files)
        known = use.authenticate(bearer_key(request.headers.get("Authorization")), g.request_id)
        caller = replace(known, address=request.remote_addr)
        _count(quota, caller)
        _note_use(use, caller)
        _authorise(route, use, caller)
        call = Call(request, cursors, use, caller, route)
        call.check_query()
        return route.handler(call, **path_arguments)

    return view


def _count(quota: Quota | None, caller: Caller) -> None:
    """A call of this key; every answer from here on says how many are left.

    Raises:
        Refused: `rate_limited`, before anything was looked at.
    """
    if quota is None:
        return
    standing = quota.take(caller.credential.id)

    @after_this_request
    def tell(response: Response) -> Response:
        response.headers.update(standing.headers)
        return response

    if standing.wait_seconds:
        raise Refused(
            "rate_limited",
            "This key calls too often; nothing was decided. The same operation key may be used again.",
            {"retry_after_seconds": standing.wait_seconds},
        )


def _note_use(use: UseCases, caller: Caller) -> None:
    """Once the answer has gone out, so that nobody waits for it."""
    if not use.note_use.due(caller):
        return

    @after_this_request
    def note(response: Response) -> Response:
        response.call_on_close(partial(use.note_use, caller))
        return response


def _authorise(route: Route, use: UseCases, caller: Caller) -> None:
    """Deny by the table. Who tries to change what they may not is audited; a look in vain is not."""
    try:
        authorise(route.method, route.rule, caller.role)
    except Forbidden as refusal:
        if route.method not in READING:
            use.record_refusal(caller, route.endpoint, refusal.code)
        raise
