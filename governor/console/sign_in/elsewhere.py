"""The way in by the identity provider: out to it with a ticket, and back."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, request

from governor.console.application import UseCases
from governor.console.cookies import forget_trip, keep_token, keep_trip, trip_of
from governor.console.errors import status_of
from governor.console.own_paths import own_path
from governor.console.rendering import onward
from governor.console.sign_in.door_pages import SIGN_IN, DoorPages
from governor.console.sign_in.doors import end_session
from governor.domain.errors import NotFound, Refused
from governor.usecases.sign_in_elsewhere import SignInElsewhere

ELSEWHERE = f"{SIGN_IN}/oidc"
CALLBACK = f"{ELSEWHERE}/callback"
"""What GOVERNOR_OIDC_REDIRECT_URL ends with."""


@dataclass(frozen=True)
class Elsewhere:
    """The handlers. A browser is sent out by GET: forms may lead to pages of our own only."""

    use: UseCases
    pages: DoorPages

    def go(self) -> Response:
        """Out to the provider; `fresh` when they have to prove again who they are.

        Raises:
            Unavailable: `identity_provider_unavailable`.
        """
        started = self._provider().begin(fresh="fresh" in request.args)
        answer = onward(started.url)
        keep_trip(answer, request, started.ticket, own_path(request.args.get("next")))
        return answer

    def come_back(self) -> Response:
        """Back from it: a new session in place of the one there was, and on to where they wanted to go."""
        ticket, goal = trip_of(request)
        try:
            opened = self._provider().finish(ticket, request.args.to_dict(), request.remote_addr or "")
        except Refused as refusal:
            answer = self.pages.sign_in(request, goal=own_path(goal), why=refusal, status=status_of(refusal))
        else:
            end_session(self.use)
            answer = onward(own_path(goal))
            keep_token(answer, request, opened.token)
        forget_trip(answer, request)
        return answer

    def _provider(self) -> SignInElsewhere:
        if self.use.people.elsewhere is None:
            raise NotFound("not_found", "There is nothing here.")
        return self.use.people.elsewhere
