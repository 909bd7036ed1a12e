"""One visit of one page, as its handler sees it: who is there, in which environment and role, and what was sent."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import Response, g

from governor.console.application import UseCases
from governor.console.cookies import SAID, SAID_SECONDS, session_token
from governor.console.fields import Filled, Form, filled_in
from governor.console.page import READING, Page
from governor.console.rendering import drawn, onward, page_of
from governor.console.sealing import Seals
from governor.console.sent_form import sent_fields
from governor.console.shell import Shell
from governor.domain.errors import GovernorError
from governor.http.query import Asked
from governor.usecases.callers import Caller
from governor.usecases.sessions import SignedIn

Item = TypeVar("Item")
Start = str | tuple[str, ...]
"""What a field starts with; several where it may be answered several times."""


@dataclass(frozen=True)
class Listed:
    """One page of a list: its items, and the address of the next page, if there is one."""

    items: Sequence[Any]
    next: str | None


@dataclass(frozen=True)
class Visit(Asked):
    """Somebody signed in, at a page of an environment where they have a role that may be there."""

    use: UseCases
    signed_in: SignedIn
    caller: Caller
    page: Page
    shell: Shell
    seals: Seals

    @property
    def parameters(self) -> tuple[str, ...]:
        """The query parameters that the page knows."""
        return self.page.parameters

    @property
    def environment(self) -> str:
        """The environment of the address."""
        return self.caller.environment

    @cached_property
    def now(self) -> datetime:
        """The present of this visit (UTC)."""
        return self.use.queries.now()

    def many(self, name: str, check: Callable[[str], str]) -> tuple[str, ...]:
        """As everywhere; a filter that a form sends empty was not chosen."""
        return tuple(value for value in super().many(name, lambda typed: typed and check(typed)) if value)

    # Where things are

    def address(self, path: str, **query: str | Sequence[str]) -> str:
        """The address of a page of this environment."""
        chosen = f"?{urlencode(query, doseq=True)}" if query else ""
        return f"/console/e/{self.environment}{path}{chosen}"

    # What was typed

    def form(self, form: Form | None = None, *, start: Mapping[str, Start] | None = None) -> Filled:
        """The page's form: as it was sent, or new, with what its fields `start` with.

        `form` is the page's own form with answers that are only known now.

        Raises:
            Malformed: it was not sent by a page of ours.
        """
        chosen = form or self.page.form
        if chosen is None:
            chosen = Form(())
        if self.sent.method in READING:
            return self.form_beside(chosen, start=start)
        return filled_in(chosen, sent_fields(self.sent))

    def form_beside(self, form: Form, *, start: Mapping[str, Start] | None = None) -> Filled:
        """A new form that another page takes, also in the answer to a POST."""
        typed = {name: (one,) if isinstance(one, str) else one for name, one in (start or {}).items()}
        return Filled(form, f"form-{secrets.token_urlsafe(18)}", typed)

    # What is answered

    def show(self, template: str, *, status: int = 200, **facts: object) -> Response:
        """The page, drawn."""
        shown = {"visit": self, "shell": self.shell, "now": self.now, "title": self.page.title}
        response = page_of(drawn(template, shown | facts), status)
        if self.shell.said is not None:
            response.delete_cookie(SAID, path="/console")
        return response

    def show_again(self, template: str, form: Filled, refusal: GovernorError, **facts: object) -> Response:
        """The page with its form as it was typed, and what is wrong with it."""
        return self.show(template, status=422, form=form.refused(refusal), **facts)

    def go(self, path: str, said: str | None = None, **query: str) -> Response:
        """On to another page of this environment, which then says once what was done."""
        return self.go_to(self.address(path, **query), said)

    def go_to(self, address: str, said: str | None = None) -> Response:
        """The same, to any address of the console."""
        response = onward(address)
        if said is not None:
            sealed = self.seals.seal(f"said to {self.signed_in.person.login}", said)
            response.set_cookie(SAID, sealed, SAID_SECONDS, path="/console", httponly=True, samesite="Strict")
        return response

    def listed(self, found: Sequence[Item], name: Callable[[Item], str]) -> Listed:
        """A page of a list. `found` has one item more than the page when there are more."""
        size = self.page_size
        if len(found) <= size:
            return Listed(found, None)
        shown = found[:size]
        cursor = self.cursors.after(self.place, name(shown[-1]))
        following = urlencode([*self.place.chosen, ("limit", str(size)), ("after", cursor)])
        return Listed(shown, f"{self.sent.path}?{following}")

    @property
    def seconds_left(self) -> int:
        """In how many seconds the session is over if nothing more is asked for."""
        return int((self.signed_in.over_at - self.now).total_seconds())

    @property
    def token(self) -> str:
        """The session's token, for what somebody does with their own account."""
        return session_token(self.sent) or ""

    @property
    def request_id(self) -> str:
        """The name of this request, for whoever asks for help."""
        return str(g.request_id)
