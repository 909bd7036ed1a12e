"""The session's cookie: what it is called, who sees it, and how it goes away."""

from __future__ import annotations

from urllib.parse import quote, unquote

from flask import Request, Response

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_SECURE = "__Host-governor"
"""The prefix makes browsers refuse it unless it is Secure, for all paths and of this very host."""
_ON_THIS_MACHINE = "governor-console"
"""Over plain http on the loopback, where `governor up` serves, browsers take no `__Host-` cookie."""
_TRIP, _TRIP_HERE = "__Host-governor-trip", "governor-console-trip"
TRIP_SECONDS = 600
SAID = "governor-said"
SAID_SECONDS = 60


def is_loopback(request: Request) -> bool:
    """Whether the console is addressed by a name of this machine.

    Everywhere else it needs TLS: over plain http a browser does not keep its cookie, so that nobody can sign in where
    others could listen.
    """
    return request.host.rpartition(":")[0] in _LOOPBACK or request.host in _LOOPBACK


def keep_trip(response: Response, request: Request, ticket: str, goal: str) -> None:
    """What somebody must bring back from the identity provider, and where they wanted to go.

    The way back is a navigation that another site begins: `Lax` lets the cookie come along, `Strict` would not.
    """
    local = is_loopback(request)
    response.set_cookie(
        _TRIP_HERE if local else _TRIP,
        f"{ticket}:{quote(goal, safe='')}",
        TRIP_SECONDS,
        secure=not local,
        httponly=True,
        samesite="Lax",
        path="/",
    )


def trip_of(request: Request) -> tuple[str, str]:
    """The ticket, and where its bearer wanted to go; both empty when there is none."""
    kept = request.cookies.get(_TRIP_HERE if is_loopback(request) else _TRIP, "")
    ticket, _, goal = kept.partition(":")
    return ticket, unquote(goal)


def forget_trip(response: Response, request: Request) -> None:
    """They are back, whatever came of it."""
    local = is_loopback(request)
    response.delete_cookie(
        _TRIP_HERE if local else _TRIP, secure=not local, httponly=True, samesite="Lax", path="/"
    )


def session_token(request: Request) -> str | None:
    """The token that the browser keeps."""
    return request.cookies.get(_ON_THIS_MACHINE if is_loopback(request) else _SECURE)


def keep_token(response: Response, request: Request, token: str) -> None:
    """Let the browser keep the token until it is closed; how long it opens anything is the server's to say."""
    local = is_loopback(request)
    response.set_cookie(
        _ON_THIS_MACHINE if local else _SECURE,
        token,
        secure=not local,
        httponly=True,
        samesite="Lax",
        path="/",
    )


def forget_token(response: Response, request: Request) -> None:
    """Take it away."""
    local = is_loopback(request)
    response.delete_cookie(
        _ON_THIS_MACHINE if local else _SECURE, secure=not local, httponly=True, samesite="Lax", path="/"
    )
