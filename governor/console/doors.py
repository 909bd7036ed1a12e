"""The ways in and out: signing in, proving again who one is, signing out. What was typed before is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from flask import Request, Response, current_app, request

from governor.console.application import UseCases
from governor.console.cookies import forget_token, is_loopback, keep_token, session_token
from governor.console.fields import malformed
from governor.console.kept_form import KEPT, Kept, kept_of, read_kept, resume_page
from governor.console.own_paths import HOME, own_path
from governor.console.page import READING, Page
from governor.console.rendering import bare, drawn, onward, page_of
from governor.console.sent_form import check_same_origin, sent_fields
from governor.domain.errors import GovernorError, Unauthenticated

SIGN_IN = "/console/sign-in"
SIGN_OUT = "/console/sign-out"
CONFIRM = "/console/confirm"
ELSEWHERE = "/console/sign-in/oidc"
HAS_ELSEWHERE = "HAS_ELSEWHERE"
"""In the surface's own settings: whether there is an identity provider to sign in at."""
_FIELDS = frozenset({"login", "password", "code", "next", KEPT})
_NOBODY = frozenset({"session_over", "session_missing"})
_NOT_HERE = frozenset({"identity_unknown", "login_taken"})
"""The identity provider knows somebody, and nobody here is them."""


def ask_who(sent: Request, why: Unauthenticated, page: Page | None = None) -> Response:
    """The way to sign in from wherever somebody is; what a form carried goes along."""
    if page is None or sent.method in READING:
        return onward(f"{SIGN_IN}?next={_whole(sent)}")
    return sign_in_page(sent, kept=kept_of(sent, page), why=why, status=401)


def ask_again(sent: Request, page: Page) -> Response:
    """Ask who somebody is before something that not every open browser may do; then it is done."""
    if sent.method in READING:
        return onward(f"{CONFIRM}?next={_whole(sent)}")
    return confirm_page(sent, kept=kept_of(sent, page), status=403)


def _whole(sent: Request) -> str:
    return quote(sent.full_path.rstrip("?"), safe="/")


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
        "why": None if why is None or why.code in _NOBODY else why.detail,
        "elsewhere": _elsewhere(goal),
        "insecure": not sent.is_secure and not is_loopback(sent),
    }
    return page_of(drawn("doors/sign_in.html", facts | bare(sent)), status)


def confirm_page(
    sent: Request,
    *,
    goal: str = "",
    kept: Kept | None = None,
    why: GovernorError | None = None,
    status: int = 200,
) -> Response:
    """The form to prove again who one is."""
    facts = {
        "next": goal,
        "kept": None if kept is None else kept.spelled(),
        "why": None if why is None else why.detail,
        "elsewhere": _elsewhere(goal, "fresh=yes&"),
    }
    return page_of(drawn("doors/confirm.html", facts | bare(sent)), status)


def _elsewhere(goal: str, more: str = "") -> str | None:
    """The way by the identity provider, if there is one."""
    if not current_app.config[HAS_ELSEWHERE]:
        return None
    return f"{ELSEWHERE}?{more}next={quote(goal or HOME, safe='/')}"


@dataclass(frozen=True)
class Doors:
    """The handlers of the ways in and out."""

    use: UseCases

    def show_sign_in(self) -> Response:
        """The form."""
        return sign_in_page(request, goal=own_path(request.args.get("next")))

    def sign_in(self) -> Response:
        """A new session, whatever session there was: then on to where one wanted to go, or back to the kept form."""
        check_same_origin(request)
        sent = _single(sent_fields(request))
        goal, kept = own_path(sent.get("next")), read_kept(sent.get(KEPT))
        login, code = sent.get("login", "").strip(), sent.get("code", "").strip()
        try:
            opened = self.use.people.sign_in.with_password(
                login, sent.get("password", ""), code, seen_address()
            )
        except GovernorError as refusal:
            return sign_in_page(
                request, login=login, goal=goal, kept=kept, why=refusal, status=refused(refusal)
            )
        self._end_session()
        answer = onward(goal) if kept is None else resume_page(request, kept, only_show=True)
        keep_token(answer, request, opened.token)
        return answer

    def show_confirm(self) -> Response:
        """The form."""
        return confirm_page(request, goal=own_path(request.args.get("next")))

    def confirm(self) -> Response:
        """Somebody has proved again who they are: on to where they wanted to go, or what they sent is sent again."""
        check_same_origin(request)
        sent = _single(sent_fields(request))
        goal, kept = own_path(sent.get("next")), read_kept(sent.get(KEPT))
        try:
            self.use.people.sessions.confirm(
                session_token(request) or "", sent.get("password", ""), sent.get("code", "").strip()
            )
        except GovernorError as refusal:
            if refusal.code in _NOBODY:
                return sign_in_page(request, goal=goal, kept=kept, why=refusal, status=401)
            return confirm_page(request, goal=goal, kept=kept, why=refusal, status=refused(refusal))
        return onward(goal) if kept is None else resume_page(request, kept, only_show=False)

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


def refused(refusal: GovernorError) -> int:
    """The status of a try that did not let somebody in; what is no answer to it becomes the page of its status.

    Raises:
        GovernorError: it says nothing of the person.
    """
    if refusal.code == "too_many_tries":
        return 429
    if isinstance(refusal, Unauthenticated):
        return 401
    if refusal.code in _NOT_HERE:
        return 403
    raise refusal


def seen_address() -> str:
    """Where somebody comes from, as the web server sees it."""
    return request.remote_addr or ""


def _single(sent: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    if set(sent) - _FIELDS or any(len(values) > 1 for values in sent.values()):
        raise malformed()
    return {name: values[0] for name, values in sent.items()}
