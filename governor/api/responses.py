"""Answers on the wire: JSON, problems and lists."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import Response

from governor.api.call import Call
from governor.api.problems import MEDIA_TYPE
from governor.domain.seen import AsSeen

Item = TypeVar("Item")


def answer(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer."""
    return Response(_encoded(body), status, dict(headers or {}), mimetype="application/json")


def problem(document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """A problem+json answer (RFC 9457); `Retry-After` is sent when the document says when."""
    sent = dict(headers or {})
    if document.get("retry_after_seconds"):
        sent.setdefault("Retry-After", str(document["retry_after_seconds"]))
    return Response(_encoded(document), int(document["status"]), sent, mimetype=MEDIA_TYPE)


def answer_with_etag(
    call: Call, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer with an ETag over what it says; 304 to a caller that has it already."""
    response = answer(body, headers=headers)
    response.set_etag(hashlib.sha256(response.get_data()).hexdigest()[:32])
    response.make_conditional(call.sent)
    return response


def etag(seen: AsSeen | int) -> dict[str, str]:
    """The strong ETag of something with revisions: what its reader has seen."""
    return {"ETag": f'"{seen}"'}


def page(
    call: Call,
    found: Sequence[Item],
    show: Callable[[Item], dict[str, Any]],
    name: Callable[[Item], str],
    beside: Mapping[str, Any] | None = None,
) -> Response:
    """One page of a list. `found` has one item more than the page when there are more.

    `beside` are members of the answer about the list as a whole.
    """
    size = call.page_size
    shown, has_more = found[:size], len(found) > size
    cursor = call.cursors.after(call.place, name(shown[-1])) if has_more else None
    body = {
        "data": [show(item) for item in shown],
        "has_more": has_more,
        "next_cursor": cursor,
        **(beside or {}),
    }
    if cursor is None:
        return answer(body)
    following = urlencode([*call.place.chosen, ("limit", str(size)), ("after", cursor)])
    return answer(body, headers={"Link": f'<{call.sent.path}?{following}>; rel="next"'})


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
