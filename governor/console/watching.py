"""Pages that look for themselves how something stands: nobody may sit there, so they keep no session alive."""

from __future__ import annotations

from flask import Request, Response

from governor.console.page import READING

HEADER = "Governor-Watching"
_ANEW = {"HX-Refresh": "true", "Cache-Control": "no-store"}


def is_watching(sent: Request) -> bool:
    """Whether a page asks by itself, and not somebody who uses it."""
    return sent.method in READING and HEADER in sent.headers


def reload() -> Response:
    """The answer to a page that watches when its session is over: it is asked for anew, which leads to the way in."""
    return Response(status=401, headers=_ANEW)


def nothing_new() -> Response:
    """The answer to a part that watches while what it shows is still so: it stays as it is."""
    return Response(status=204, headers={"Cache-Control": "no-store"})


def look_anew() -> Response:
    """The answer to a part that watches what came to its end: the whole page has more to show, and watches no more."""
    return Response(status=204, headers=_ANEW)
