"""The ways in and out: signing in, with what was typed before kept; signing out; where one begins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from flask import Request, Response, request

from governor.console.application import UseCases
from governor.console.cookies import forget_token, is_loopback, keep_token, session_token
from governor.console.fields import RESUMED, malformed
from governor.console.look import COOKIE, look_of
from governor.console.own_paths import HOME, own_path
from governor.console.page import READING
from governor.console.rendering import drawn, onward, page_of
from governor.console.sent_form import check_same_origin, sent_fields
from governor.domain.errors import GovernorError, Unauthenticated

SIGN_IN = "/console/sign-in"
SIGN_OUT = "/console/sign-out"
_KEPT = "kept"
_FIELDS = frozenset({"login", "password", "code", "next", _KEPT})


@dataclass(frozen=True)
class Kept:
    """A form that was sent when nobody was signed in any more: where to, and what was typed."""

    to: str
    fields: tuple[tuple[str, str], ...]

    def spelled(self) -> str:
        """As a hidden field carries it."""
        return json.dumps({"to": self.to, "fields": self.fields})


def ask_who(sent: Request, why: Unauthenticated) -> Response:
    """The way to sign in from wherever somebody is; what a form carried goes along."""
    if sent.method in READING:
        return onward(f"{SIGN_IN}?next={quote(sent.full_path.rstrip('?'), safe='/')}")
    fields = tuple((name, value) for name, values in sent_fields(sent).items() for value in values)
    return sign_in_page(sent, kept=Kept(sent.path, fields), why=why, status=401)


def is_resumed(sent: Request) -> bool:
    """Whether this form comes from the page after signing in again."""
    return RESUMED in sent_fields(sent)


def sign_in_page(
    sent: Request,
    *,
    login: str = "",
    goal: str = "",
    kept: Kept | None = None,
    why: GovernorError | None = None,
    status: int = 200,
) -> Response:
    """The form to sign in with. Passwords are never sent back."""
    facts = {
        "login": login,
        "next": goal,
        "kept": None if kept is None else kept.spelled(),
        "why": why,
        "insecure": not sent.is_secure and not is_loopback(sent),
    }
    return page_of(drawn("doors/sign_in.html", facts | bare(sent)), status)


def bare(sent: Request) -> dict[str, Any]:
    """What a page needs that stands in no environment."""
    return {"look": look_of(sent.cookies.get(COOKIE)), "here": sent.full_path.rstrip("?")}


@dataclass(frozen=True)
class Doors:
    """The handlers of the addresses that need nobody signed in."""

    use: UseCases

    def show_sign_in(self) -> Response:
        """The form."""
        return sign_in_page(request, goal=own_path(request.args.get("next")))

    def sign_in(self) -> Response:
        """A new session, whatever session there was: then on to where one wanted to go, or back to the kept form."""
        check_same_origin(request)
        sent = _single(sent_fields(request))
        goal, kept = own_path(sent.get("next")), read_kept(sent.get(_KEPT))
        login, code = sent.get("login", "").strip(), sent.get("code", "").strip()
        try:
            opened = self.use.people.sign_in.with_password(
                login, sent.get("password", ""), code, request.remote_addr or ""
            )
        except GovernorError as refusal:
            status = 429 if refusal.code == "too_many_tries" else 401
            return sign_in_page(request, login=login, goal=goal, kept=kept, why=refusal, status=status)
        self._end_session()
        answer = onward(goal) if kept is None else self._resume(kept)
        keep_token(answer, request, opened.token)
        return answer

    def sign_out(self) -> Response:
        """The session ends, here and in the database."""
        check_same_origin(request)
        self._end_session()
        answer = onward(SIGN_IN)
        forget_token(answer, request)
        return answer

    def _end_session(self) -> None:
        if token := session_token(request):
            self.use.people.sessions.end(token)

    def _resume(self, kept: Kept) -> Response:
        """A page that sends the kept form once more, to be looked at; nothing is done by it."""
        return page_of(drawn("doors/resume.html", {"kept": kept, "resumed": RESUMED} | bare(request)))


def read_kept(text: str | None) -> Kept | None:
    """The form that a sign-in page carried along; None when there is none, or it is not one of ours.

    Raises:
        Malformed: it cannot be read.
    """
    if not text:
        return None
    try:
        said = json.loads(text)
        fields = tuple((str(name), str(value)) for name, value in said["fields"])
        to = str(said["to"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise malformed() from error
    return Kept(to, tuple(one for one in fields if one[0] != RESUMED)) if own_path(to) != HOME else None


def _single(sent: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    if set(sent) - _FIELDS or any(len(values) > 1 for values in sent.values()):
        raise malformed()
    return {name: values[0] for name, values in sent.items()}
