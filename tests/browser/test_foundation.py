"""The shell that every page stands in."""

from collections.abc import Callable

from playwright.sync_api import Page

from governor.domain.credentials import Role
from tests.browser.stage import Stage
from tests.browser.watching import check_page


def test_the_way_in_leads_to_a_page_that_everybody_can_use(
    stage: Stage, visit: Callable[..., Page], keep: Callable[[Page, str], None]
) -> None:
    world = stage.world
    world.limit(1_000_000)
    agent = world.caller()
    request = world.request(agent, world.payment(5000), 1240, note="It came broken.", case="ZD-1")
    world.request(agent, world.payment(5000, customer="cus_x"), 500)
    page = visit(Role.OPERATOR)
    keep(page, "list")
    check_page(page)
    page.get_by_role("link", name=request.id).click()
    keep(page, "request")
    check_page(page)
    page.emulate_media(color_scheme="dark")
    keep(page, "request-dark")
    page.set_viewport_size({"width": 375, "height": 800})
    keep(page, "request-dark-narrow")
    page.goto("/console/e/test/help")
    check_page(page)
    keep(page, "help")
