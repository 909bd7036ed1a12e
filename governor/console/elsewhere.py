"""The way in by the identity provider: out to it with a ticket, and back."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, request

from governor.console.application import UseCases
from governor.console.cookies import forget_trip, keep_token, keep_trip, session_token, trip_of
from governor.console.doors import ELSEWHERE, refused, seen_address, sign_in_page
from governor.console.own_paths import own_path
from governor.console.rendering import onward
from governor.domain.errors import GovernorError, NotFound
from governor.usecases.sign_in_elsewhere import SignInElsewhere

CALLBACK = f"{ELSEWHERE}/callback"
"""What GOVERNOR_OIDC_REDIRECT_URL ends with."""


@dataclass(frozen=True)
class Elsewhere:
    """The handlers. A browser is sent out by GET: forms may lead to pages of our own only."""

    use: UseCases

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
            opened = self._provider().finish(ticket, request.args.to_dict(), seen_address())
        except GovernorError as refusal:
            answer = sign_in_page(request, goal=own_path(goal), why=refusal, status=refused(refusal))
        else:
            if token := session_token(request):
                self.use.people.sessions.end(token)
            answer = onward(own_path(goal))
            keep_token(answer, request, opened.token)
        forget_trip(answer, request)
        return answer

    def _provider(self) -> SignInElsewhere:
        if self.use.people.elsewhere is None:
            raise NotFound("not_found", "There is nothing here.")
        return self.use.people.elsewhere
