"""The shell that every page stands in, and the doors before it."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from governor.domain.credentials import Role
from tests.browser.stage import Stage
from tests.browser.visitors import sign_in
from tests.browser.watching import Watch, check_page

LIST = "/console/e/test/refund-requests"
CODES = "/console/e/test/account/authenticator"


def test_the_doors_can_be_used_by_everybody(
    new_context: Callable[..., BrowserContext], keep: Callable[[Page, str], None], watch: Watch
) -> None:
    page = new_context().new_page()
    page.goto(LIST)
    keep(page, "sign-in")
    check_page(page)
    watch.expect("401")
    page.get_by_label("Login").fill("nobody")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("is wrong")
    check_page(page)
    watch.expect("404")
    page.goto("/console/nowhere")
    keep(page, "not-there")
    check_page(page)


def test_a_refund_that_was_made_is_shown_to_everybody(
    stage: Stage, visit: Callable[..., Page], keep: Callable[[Page, str], None]
) -> None:
    world = stage.world
    world.limit(1_000_000)
    request = world.request(
        world.caller(), world.payment(5000, customer="cus_anna"), 1240, note="It came broken.", case="ZD-4711"
    )
    page = visit(Role.OPERATOR)
    page.goto(f"{LIST}/{request.id}")
    while page.get_by_text("Money was refunded").count() == 0:
        page.reload()
    keep(page, "request")
    check_page(page)
    page.emulate_media(color_scheme="dark")
    keep(page, "request-dark")
    page.set_viewport_size({"width": 375, "height": 800})
    keep(page, "request-dark-narrow")


def test_everything_around_a_page_is_reached_with_keys_alone(
    stage: Stage, visit: Callable[..., Page]
) -> None:
    stage.world.limit(1_000_000)
    request = stage.world.request(stage.world.caller(), stage.world.payment(5000), 500)
    page = visit(Role.AUDITOR)
    page.goto(LIST)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("/")
    page.keyboard.type(request.id)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{stage.url}{LIST}/{request.id}")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", level=1)).to_have_text("Help and shortcuts")


def test_single_keys_do_nothing_once_they_are_switched_off(stage: Stage, visit: Callable[..., Page]) -> None:
    """CONSOLE.md §3: 2.1.4."""
    page = visit(Role.AUDITOR)
    page.goto("/console/e/test/help")
    page.get_by_role("button", name="Switch shortcuts off").click()
    expect(page.get_by_role("button", name="Switch shortcuts on")).to_be_visible()
    page.goto(LIST)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "find"
    page.keyboard.press("?")
    page.get_by_label("Find by id").focus()
    page.keyboard.type("/?")
    assert page.get_by_label("Find by id").input_value() == "/?"
    assert page.url == f"{stage.url}{LIST}"


def test_light_and_dark_are_chosen_without_scripts_or_left_to_the_system(visit: Callable[..., Page]) -> None:
    page = visit(Role.AGENT, java_script_enabled=False)
    page.emulate_media(color_scheme="dark")
    system_dark = _paper(page)
    page.emulate_media(color_scheme="light")
    system_light = _paper(page)
    assert system_dark != system_light
    page.locator("summary", has_text="of the tests").click()
    page.get_by_role("button", name="dark").click()
    assert _paper(page) == system_dark
    page.emulate_media(color_scheme="dark")
    page.locator("summary", has_text="of the tests").click()
    page.get_by_role("button", name="light").click()
    assert _paper(page) == system_light


def _paper(page: Page) -> str:
    """The colour that everything lies on."""
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_what_somebody_was_typing_when_their_session_ended_is_shown_to_them_again(
    stage: Stage, visit: Callable[..., Page], watch: Watch, keep: Callable[[Page, str], None]
) -> None:
    """CONSOLE.md §3: 2.2.1."""
    login = stage.crew.login(Role.AGENT)
    page = visit(Role.AGENT, fresh=True)
    page.goto(CODES)
    page.get_by_role("button", name="Set up an authenticator").click()
    page.get_by_label("The code it shows now").fill("123 456")
    person = stage.world.app.people.manage.named(login)
    stage.world.app.people.sessions.end_all(person)
    stage.cookies.pop(login, None)
    watch.expect("401")
    watch.expect("422")
    page.get_by_role("button", name="Ask me for codes").click()
    expect(page.get_by_text("What you typed is kept")).to_be_visible()
    keep(page, "session-over")
    check_page(page)
    sign_in(page, login)
    page.get_by_role("button", name="Back to the form").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was done")
    assert page.get_by_label("The code it shows now").input_value() == "123 456"
    keep(page, "back-to-the-form")
    check_page(page)


def test_somebody_who_is_still_there_is_warned_and_can_stay(visit: Callable[..., Page]) -> None:
    """CONSOLE.md §3: 2.2.1."""
    page = visit(Role.AGENT)
    page.clock.install()
    page.goto(LIST)
    page.get_by_role("textbox", name="Case").fill("half a word")
    warning = page.get_by_text("you are signed out in two minutes")
    left = int(page.locator("[data-over-in]").get_attribute("data-over-in") or 0)
    page.clock.fast_forward((left - 120 - 90) * 1000)
    assert not warning.is_visible()
    page.clock.fast_forward(120_000)
    expect(warning).to_be_visible()
    with page.expect_response("**/account"):
        page.get_by_role("button", name="Stay signed in").click()
    expect(warning).not_to_be_visible()
    page.clock.fast_forward((left + 60) * 1000)
    expect(page.get_by_role("alert")).to_contain_text("You are signed out by now")
    expect(warning).not_to_be_visible()
    expect(page.get_by_role("button", name="Stay signed in")).not_to_be_visible()
    assert page.get_by_role("textbox", name="Case").input_value() == "half a word"
