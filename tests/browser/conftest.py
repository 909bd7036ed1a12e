"""One browser for each process of the run, one stage for each file, a context of its own for each visitor."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from tests.browser.chromium import HOW, launched
from tests.browser.stage import Stage, set_up
from tests.browser.visitors import Visitors, visitors
from tests.browser.watching import Watch
from tests.servers import empty_redis


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
def guests(browser: Browser, stage: Stage, watch: Watch) -> Iterator[Visitors]:
    """This test's visitors."""
    with visitors(browser, stage, watch) as guests:
        yield guests


@pytest.fixture
def new_context(guests: Visitors) -> Callable[..., BrowserContext]:
    """Browsers of their own, watched; options as for `Visitors.context`."""
    return guests.context


@pytest.fixture
def visit(guests: Visitors) -> Callable[..., Page]:
    """A page of somebody signed in: `visit(Role.AGENT)`, or `visit(login="ada")`; options as for `Visitors.page`."""
    return guests.page


@pytest.fixture
def keep() -> Callable[[Page, str], None]:
    """Keeps a picture for people to look at, in the folder that GOVERNOR_SCREENSHOTS names, if one is named."""
    folder = os.environ.get("GOVERNOR_SCREENSHOTS")

    def picture(page: Page, name: str) -> None:
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    return picture
