"""Where people begin, and what they choose for themselves, whichever environment they are in."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from flask import Response, request

from governor.console.look import COOKIE, KEPT_SECONDS, look_from, look_of
from governor.console.own_paths import own_path
from governor.console.rendering import bare, drawn, onward, page_of
from governor.console.sent_form import check_same_origin, sent_fields
from governor.console.serve import Served
from governor.console.shell import home_of
from governor.domain.errors import NotFound, Unauthenticated


@dataclass(frozen=True)
class Lobby:
    """The handlers of what needs somebody signed in, and no environment."""

    served: Served

    def home(self) -> Response:
        """On to the only environment of whoever it is, or a page to choose one on."""
        try:
            signed_in = self.served.signed_in(request)
        except Unauthenticated as over:
            return self.served.doors.ask_who(request, over)
        if len(signed_in.environments) == 1:
            return onward(f"/console/e/{signed_in.environments[0]}")
        facts = {"environments": signed_in.environments, "person": signed_in.person.name}
        return page_of(drawn("doors/environments.html", facts | bare(request)))

    def home_of(self, environment: str) -> Response:
        """The page that somebody's role begins at.

        Raises:
            NotFound: they have no role there.
        """
        try:
            signed_in = self.served.signed_in(request)
        except Unauthenticated as over:
            return self.served.doors.ask_who(request, over)
        roles = signed_in.roles(environment)
        if not roles:
            raise NotFound("not_found", "There is nothing here.")
        return onward(f"/console/e/{environment}{home_of(self.served.pages, roles).rule}")

    def change_look(self) -> Response:
        """Remember how somebody likes to look at it, and go back."""
        check_same_origin(request)
        sent = {name: values[0] for name, values in sent_fields(request).items()}
        look = look_from(asdict(look_of(request.cookies.get(COOKIE))) | sent)
        answer = onward(own_path(sent.get("here")))
        answer.set_cookie(
            COOKIE, look.spelled(), KEPT_SECONDS, path="/console", httponly=True, samesite="Lax"
        )
        return answer
