"""Every page that can be looked at is: by somebody who may, with axe, in light and dark, wide and narrow."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as BrowserPage

from governor.console.page import Page
from governor.console.pages import PAGES
from governor.domain.credentials import Role
from tests.browser.stage import Stage
from tests.browser.states import STATES, PageState
from tests.browser.visitors import Visitors, visitors
from tests.browser.watching import Watch, check_page
from tests.console.examples import address_of, examples

READING = [page for page in PAGES if page.method == "GET" and not page.is_file]


@pytest.fixture(scope="module")
def ids(stage: Stage) -> dict[str, str]:
    """Something to look at for every argument."""
    return examples(stage.world)


@pytest.fixture(scope="module")
def readers(browser: Browser, stage: Stage) -> Iterator[Visitors]:
    """One visitor of each role goes through all pages: a browser of its own for each would cost more than the look."""
    with visitors(browser, stage, Watch()) as readers:
        yield readers


@pytest.fixture(scope="module")
def reader(readers: Visitors) -> Callable[[Role], BrowserPage]:
    """The one of this role."""
    return cache(readers.page)


@pytest.mark.parametrize("page", READING, ids=lambda page: page.endpoint.removeprefix("console."))
def test_a_page_can_be_used_by_everybody(
    ids: dict[str, str],
    readers: Visitors,
    reader: Callable[[Role], BrowserPage],
    keep: Callable[[BrowserPage, str], None],
    page: Page,
) -> None:
    shown = reader(page.roles[0])
    shown.goto(address_of("test", page.rule, ids))
    keep(shown, page.endpoint)
    check_page(shown)
    assert shown.locator("h1").count() == 1
    readers.verdict()


@pytest.mark.usefixtures("ids")
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_a_page_can_be_used_by_everybody_in_between_too(
    stage: Stage,
    readers: Visitors,
    reader: Callable[[Role], BrowserPage],
    keep: Callable[[BrowserPage, str], None],
    state: PageState,
) -> None:
    """What no address alone leads to: full, in doubt, before the last click, refused, changed by somebody else."""
    if state.said:
        readers.watch.expect(state.said)
    shown = reader(state.role)
    state.go(stage, shown)
    keep(shown, f"state-{state.name}")
    check_page(shown)
    readers.verdict()
    readers.watch.expected.clear()
