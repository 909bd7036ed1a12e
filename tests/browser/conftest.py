"""One browser for each process of the run, one stage for each file, a context of its own for each visitor."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from governor.domain.credentials import Role
from tests.browser.chromium import HOW, launched
from tests.browser.stage import Stage, set_up
from tests.browser.watching import Watch
from tests.console.crew import PASSWORD
from tests.servers import empty_redis

PATIENCE_MS = 30_000
"""For one step of a browser on a crowded machine."""
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        if browser is None:
            pytest.skip(HOW)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def stage(
    browser: Browser,  # noqa: ARG001 - without one nothing needs to be started
    postgres_server: EmbeddedPostgres,
    migrated_template: str,
    redis_server: EmbeddedRedis,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    """The processes, on a database of this file's own: what one file arranges is in nobody else's way."""
    folder = tmp_path_factory.mktemp("stage")
    with (
        empty_redis(redis_server) as redis_url,
        set_up(postgres_server, migrated_template, redis_url, folder) as stage,
    ):
        yield stage


@pytest.fixture
def watch() -> Watch:
    """What goes wrong in this test's browser."""
    return Watch()


@pytest.fixture
def new_context(browser: Browser, stage: Stage, watch: Watch) -> Iterator[Callable[..., BrowserContext]]:
    """Browsers of their own, watched; `javaScriptEnabled=False` and the like as Playwright names them."""
    contexts: list[BrowserContext] = []

    def new(**options: Any) -> BrowserContext:
        usual: dict[str, Any] = {
            "base_url": stage.url,
            "viewport": {"width": 1280, "height": 800},
            "reduced_motion": "reduce",
        }
        context = browser.new_context(**(usual | options))
        context.set_default_timeout(PATIENCE_MS)
        watch.over(context)
        contexts.append(context)
        return context

    yield new
    wrong = watch.verdict([page for context in contexts for page in context.pages])
    for context in contexts:
        context.close()
    assert wrong == [], "\n".join(wrong)


@pytest.fixture
def visit(stage: Stage, new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """A page of somebody signed in: `visit(Role.AGENT)`, or `visit(login="ada")`; options as for `new_context`.

    A session is used again by the next test, since signing in costs half a second; `fresh` ones are not.
    """

    def open_page(
        role: Role = Role.AGENT, *, login: str | None = None, fresh: bool = False, **options: Any
    ) -> Page:
        login = login or stage.crew.login(role)
        known = None if fresh else stage.cookies.get(login)
        context = new_context(storage_state=known, **options)
        page = context.new_page()
        page.goto("/console")
        if page.url.partition("?")[0].endswith("/console/sign-in"):
            sign_in(page, login)
            if not fresh:
                stage.cookies[login] = context.storage_state()
        return page

    return open_page


def sign_in(page: Page, login: str) -> None:
    """Through the door that the page shows, and on to wherever it leads."""
    page.get_by_label("Login").fill(login)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Sign in")


@pytest.fixture
def keep() -> Callable[[Page, str], None]:
    """Keeps a picture for people to look at, in the folder that GOVERNOR_SCREENSHOTS names, if one is named."""
    folder = os.environ.get("GOVERNOR_SCREENSHOTS")

    def picture(page: Page, name: str) -> None:
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    return picture
