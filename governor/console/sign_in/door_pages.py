"""The pages that ask who somebody is. A form that came before its sender was known waits in them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from flask import Request, Response

from governor.console.cookies import is_loopback
from governor.console.page import READING, Page
from governor.console.rendering import bare, drawn, onward, page_of
from governor.console.sign_in.kept_form import Kept, kept_of
from governor.console.watching import is_watching, reload
from governor.domain.errors import GovernorError, Unauthenticated

SIGN_IN = "/console/sign-in"
CONFIRM = "/console/confirm"
NOBODY = frozenset({"session_over", "session_missing"})
"""Why somebody has to sign in, when nothing went wrong."""


@dataclass(frozen=True)
class DoorPages:
    """`elsewhere`: whether people may also sign in at an identity provider."""

    elsewhere: bool

    def ask_who(self, sent: Request, why: Unauthenticated, page: Page | None = None) -> Response:
        """The way to sign in from wherever somebody is; what a form carried goes along."""
        if is_watching(sent):
            return reload()
        if page is None or sent.method in READING:
            return onward(f"{SIGN_IN}?next={_whole(sent)}")
        return self.sign_in(sent, kept=kept_of(sent, page), why=why, status=401)

    def ask_again(self, sent: Request, page: Page) -> Response:
        """Ask who somebody is before something that not every open browser may do; then it is done."""
        if sent.method in READING:
            return onward(f"{CONFIRM}?next={_whole(sent)}")
        return self.confirm(sent, kept=kept_of(sent, page), status=403)

    def sign_in(
        self,
        sent: Request,
        *,
        login: str = "",
        goal: str = "",
        kept: Kept | None = None,
        why: GovernorError | None = None,
        status: int = 200,
    ) -> Response:
        """The form to sign in with. Passwords are never sent back."""
        insecure = not sent.is_secure and not is_loopback(sent)
        return self._page("sign_in", sent, goal, kept, why, status, login=login, insecure=insecure)

    def confirm(
        self,
        sent: Request,
        *,
        goal: str = "",
        kept: Kept | None = None,
        why: GovernorError | None = None,
        status: int = 200,
    ) -> Response:
        """The form to prove again who one is."""
        return self._page("confirm", sent, goal, kept, why, status)

    def _page(
        self,
        name: str,
        sent: Request,
        goal: str,
        kept: Kept | None,
        why: GovernorError | None,
        status: int,
        **more: object,
    ) -> Response:
        facts = {
            "next": goal,
            "kept": None if kept is None else kept.spelled(),
            "why": None if why is None or why.code in NOBODY else why.detail,
            "elsewhere": self.elsewhere,
        }
        return page_of(drawn(f"doors/{name}.html", facts | bare(sent) | more), status)


def _whole(sent: Request) -> str:
    return quote(sent.full_path.rstrip("?"), safe="/")
