"""The ways in and out: signing in, proving again who one is, signing out. What was typed before is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Response, request

from governor.console.application import UseCases
from governor.console.cookies import forget_token, keep_token, session_token
from governor.console.errors import status_of
from governor.console.fields import malformed
from governor.console.own_paths import own_path
from governor.console.rendering import onward
from governor.console.sent_form import check_same_origin, sent_fields
from governor.console.sign_in.door_pages import NOBODY, SIGN_IN, DoorPages
from governor.console.sign_in.kept_form import KEPT, Kept, read_kept, resume_page
from governor.domain.errors import Forbidden, Refused

SIGN_OUT = "/console/sign-out"
ALREADY = "already"
"""Sent by whoever has meanwhile signed in, or proved who they are, at the identity provider."""
_FIELDS = frozenset({"login", "password", "code", "next", KEPT, ALREADY})


@dataclass(frozen=True)
class Doors:
    """The handlers of the ways in and out."""

    use: UseCases
    pages: DoorPages

    def show_sign_in(self) -> Response:
        """The form."""
        return self.pages.sign_in(request, goal=own_path(request.args.get("next")))

    def sign_in(self) -> Response:
        """A new session, whatever session there was: then on to where one wanted to go, or back to the kept form."""
        check_same_origin(request)
        sent = _single(sent_fields(request))
        goal, kept = own_path(sent.get("next")), read_kept(sent.get(KEPT))
        login, code = sent.get("login", "").strip(), sent.get("code", "").strip()
        try:
            if ALREADY in sent:
                token = session_token(request) or ""
                self.use.people.sessions.of(token)
            else:
                password, address = sent.get("password", ""), request.remote_addr or ""
                token = self.use.people.sign_in.with_password(login, password, code, address).token
                end_session(self.use)
        except Refused as refusal:
            return self.pages.sign_in(
                request, login=login, goal=goal, kept=kept, why=refusal, status=status_of(refusal)
            )
        answer = _on(goal, kept, only_show=True)
        keep_token(answer, request, token)
        return answer

    def show_confirm(self) -> Response:
        """The form."""
        return self.pages.confirm(request, goal=own_path(request.args.get("next")))

    def confirm(self) -> Response:
        """Somebody has proved again who they are: on to where they wanted to go, or what they sent is sent again."""
        check_same_origin(request)
        sent = _single(sent_fields(request))
        goal, kept = own_path(sent.get("next")), read_kept(sent.get(KEPT))
        try:
            self._prove(sent)
        except Refused as refusal:
            page = self.pages.sign_in if refusal.code in NOBODY else self.pages.confirm
            return page(request, goal=goal, kept=kept, why=refusal, status=status_of(refusal))
        return _on(goal, kept, only_show=False)

    def _prove(self, sent: Mapping[str, str]) -> None:
        sessions, token = self.use.people.sessions, session_token(request) or ""
        if ALREADY not in sent:
            sessions.confirm(token, sent.get("password", ""), sent.get("code", "").strip())
        elif not sessions.of(token).confirmed:
            raise Forbidden("confirmation_needed", "You have not proved who you are yet.")

    def sign_out(self) -> Response:
        """The session ends, here and in the database."""
        check_same_origin(request)
        end_session(self.use)
        answer = onward(SIGN_IN)
        forget_token(answer, request)
        return answer


def end_session(use: UseCases) -> None:
    """Whatever session this browser had opens nothing any more."""
    if token := session_token(request):
        use.people.sessions.end(token)


def _on(goal: str, kept: Kept | None, *, only_show: bool) -> Response:
    return onward(goal) if kept is None else resume_page(request, kept, only_show=only_show)


def _single(sent: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    if set(sent) - _FIELDS or any(len(values) > 1 for values in sent.values()):
        raise malformed()
    return {name: values[0] for name, values in sent.items()}
