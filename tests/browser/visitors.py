"""Who looks at a stage: browsers of their own, watched, signed in through the door that everybody takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from governor.domain.credentials import Role
from tests.browser.stage import Stage
from tests.browser.watching import Watch
from tests.console.crew import PASSWORD
from tests.stack import PATIENCE_SECONDS

PATIENCE_MS = PATIENCE_SECONDS * 1000
expect.set_options(timeout=PATIENCE_MS)


@dataclass(frozen=True)
class Visitors:
    """The browsers that are open at a stage."""

    browser: Browser
    stage: Stage
    watch: Watch
    contexts: list[BrowserContext] = field(default_factory=list)

    def context(self, **options: Any) -> BrowserContext:
        """A browser of its own; `java_script_enabled=False` and the like as Playwright names them."""
        usual: dict[str, Any] = {
            "base_url": self.stage.url,
            "viewport": {"width": 1280, "height": 800},
            "reduced_motion": "reduce",
        }
        context = self.browser.new_context(**(usual | options))
        context.set_default_timeout(PATIENCE_MS)
        self.watch.over(context)
        self.contexts.append(context)
        return context

    def page(
        self, role: Role = Role.AGENT, *, login: str | None = None, fresh: bool = False, **options: Any
    ) -> Page:
        """A page of somebody signed in, by role or by login; options as for `context`.

        A session is used again by the next visitor, since signing in costs half a second; `fresh` ones are not.
        """
        login = login or self.stage.crew.login(role)
        known = None if fresh else self.stage.cookies.get(login)
        context = self.context(storage_state=known, **options)
        page = context.new_page()
        page.goto("/console")
        if page.url.partition("?")[0].endswith("/console/sign-in"):
            sign_in(page, login)
            if not fresh:
                self.stage.cookies[login] = context.storage_state()
        return page

    def verdict(self) -> None:
        """Fails when something has gone wrong since the last verdict."""
        wrong = self.watch.verdict([page for context in self.contexts for page in context.pages])
        assert wrong == [], "\n".join(wrong)


@contextmanager
def visitors(browser: Browser, stage: Stage, watch: Watch) -> Iterator[Visitors]:
    """Nobody yet; at the end the verdict on everybody who came, and all of them gone."""
    everybody = Visitors(browser, stage, watch)
    yield everybody
    try:
        everybody.verdict()
    finally:
        for context in everybody.contexts:
            context.close()


def sign_in(page: Page, login: str) -> None:
    """Through the door that the page shows, and on to wherever it leads."""
    page.get_by_label("Login").fill(login)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Sign in")
