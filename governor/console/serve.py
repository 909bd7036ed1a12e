"""From a matched page to its handler: who is there, may they, what do they see around it. Then, and not before, work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flask import Request, Response, g, request

from governor.console.application import UseCases
from governor.console.cookies import SAID, session_token
from governor.console.fields import CONFIRMATION
from governor.console.look import COOKIE, look_of
from governor.console.page import READING, HowMany, Page
from governor.console.sealing import Seals
from governor.console.sent_form import check_same_origin
from governor.console.shell import Shell, entries_for
from governor.console.sign_in.door_pages import DoorPages
from governor.console.sign_in.kept_form import is_resumed
from governor.console.visit import Visit
from governor.console.watching import is_watching
from governor.domain.credentials import Role
from governor.domain.errors import Forbidden, GovernorError, NotFound, Unauthenticated
from governor.http.cursors import Cursors
from governor.usecases.callers import Caller
from governor.usecases.sessions import SignedIn


@dataclass(frozen=True)
class Served:
    """What every page is served with."""

    use: UseCases
    pages: Sequence[Page]
    cursors: Cursors
    seals: Seals
    doors: DoorPages

    def view_of(self, page: Page) -> Callable[..., Response]:
        """The function that the framework calls for this page."""

        def view(environment: str, **path_arguments: str) -> Response:
            if page.method not in READING:
                check_same_origin(request)
            try:
                signed_in = self.signed_in(request)
            except Unauthenticated as over:
                return self.doors.ask_who(request, over, page)
            visit = self._visit(page, signed_in, environment)
            visit.check_query()
            try:
                return self._without_acting(visit) or page.handler(visit, **path_arguments)
            except Forbidden as refusal:
                if refusal.code != CONFIRMATION:
                    raise
                return self.doors.ask_again(request, page)

        return view

    def signed_in(self, sent: Request) -> SignedIn:
        """Who sits at this browser.

        Raises:
            Unauthenticated: nobody, or not any more.
        """
        token = session_token(sent)
        if not token:
            raise Unauthenticated("session_missing", "Sign in to go on.")
        return self.use.people.sessions.of(token, watching=is_watching(sent))

    def _visit(self, page: Page, signed_in: SignedIn, environment: str) -> Visit:
        """The visit of somebody who may be there.

        Raises:
            NotFound: they have nothing to do with this environment, and learn not whether it exists.
            Forbidden: `role_not_allowed`.
        """
        roles = signed_in.roles(environment)
        if not roles:
            raise NotFound("not_found", "There is nothing here.")
        role = page.role_of(roles)
        if role is None:
            self._record(page, signed_in, environment, roles)
            raise Forbidden("role_not_allowed", f"“{page.title}” is not for {' or '.join(sorted(roles))}s.")
        caller = _caller(signed_in, environment, role)
        shell = self._shell(page, signed_in, caller, roles)
        return Visit(request, self.cursors, self.use, signed_in, caller, page, shell, self.seals)

    def _record(self, page: Page, signed_in: SignedIn, environment: str, roles: frozenset[Role]) -> None:
        """Who tries to change what they may not is audited; a look in vain is not."""
        if page.method not in READING:
            caller = _caller(signed_in, environment, min(roles))
            self.use.record_refusal(caller, page.endpoint, "role_not_allowed")

    def _shell(self, page: Page, signed_in: SignedIn, caller: Caller, roles: frozenset[Role]) -> Shell:
        here = caller.environment

        def count(other: Page) -> HowMany | None:
            role = other.role_of(roles)
            if other.count is None or role is None:
                return None
            try:
                return other.count(self.use, _caller(signed_in, here, role))
            except GovernorError:
                return None  # what cannot be counted now is shown without a number

        said = request.cookies.get(SAID)
        return Shell(
            environment=self.use.queries.environment(caller),
            freezes=self.use.queries.freezes(caller),
            others=tuple(one for one in signed_in.environments if one != here),
            roles=roles,
            acting_as=caller.role,
            entries=entries_for(self.pages, roles, page, lambda one: f"/console/e/{here}{one.rule}", count),
            person=signed_in.person.name,
            look=look_of(request.cookies.get(COOKIE)),
            here=request.full_path.rstrip("?"),
            said=said and self.seals.opened(f"said to {signed_in.person.login}", said),
        )

    def _without_acting(self, visit: Visit) -> Response | None:
        """A form that was sent before signing in again is only shown, by its handler; what has none, by its page."""
        if visit.page.method in READING or visit.page.form is not None or not is_resumed(visit.sent):
            return None
        shown = any(one.method in READING and one.rule == visit.page.rule for one in self.pages)
        address = visit.sent.path if shown else visit.address("")
        return visit.go_to(address, "You were signed out before this was sent, so nothing was done.")


def _caller(signed_in: SignedIn, environment: str, role: Role) -> Caller:
    """Who is there as a caller, in this call and from where that came.

    Raises:
        NotFound, Forbidden: they have no such role there.
    """
    return replace(signed_in.caller(environment, role, g.request_id), address=request.remote_addr)
