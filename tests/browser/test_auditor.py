"""An auditor finds a decision, has it explained, and takes the trail home: with the keyboard alone, and without scripts."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from governor.domain.credentials import Role
from tests.browser.keyboard import find, press, tab_to
from tests.browser.stage import Stage
from tests.browser.watching import check_page

HERE = "/console/e/test"


def carry_out(stage: Stage) -> None:
    """As a runner does."""
    while stage.world.app.long_work.carry_out(bool) is not None:
        pass


def test_a_denial_is_found_explained_and_exported_with_the_keyboard_alone(
    stage: Stage, visit: Callable[..., Page], keep: Callable[[Page, str], None]
) -> None:
    stage.world.limit(50_000)
    denied = stage.world.request(stage.world.caller(), stage.world.payment(90_000), 60_000)
    page = visit(Role.AUDITOR)
    expect(page.get_by_role("heading", level=1)).to_have_text("Audit trail")
    keep(page, "trail")
    find(page, denied.id)
    expect(page.locator("main")).to_contain_text("Denied")
    press(page, "Why it was decided so")
    expect(page.locator("main")).to_contain_text("the same verdict")
    press(page, "Long work")
    press(page, "Export the trail")
    press(page, "Begin")
    expect(page.get_by_text("It waits for its turn.")).to_be_visible()
    tab_to(page, "Cancel it")
    _watches_and_leaves_in_peace(page)
    expect(page.get_by_role("button", name="Cancel it")).to_be_focused()
    carry_out(stage)
    expect(page.locator("#run")).to_contain_text("It is done.")
    check_page(page)
    with page.expect_download() as taken:
        tab_to(page, "audit.ndjson")
        page.keyboard.press("Enter")
    lines = taken.value.path().read_text(encoding="utf-8").splitlines()
    assert any(denied.id in line for line in lines)
    assert '"manifest"' in lines[-1]


def _watches_and_leaves_in_peace(page: Page) -> None:
    """What says the same stays as it is; what says something else is changed within the status that tells it."""
    part = page.locator("#progress")
    part.evaluate("(one) => { one.dataset.kept = one.parentElement.dataset.kept = 'yes'; }")
    for _ in range(2):  # at the second look the first is on the page
        page.wait_for_event("response", lambda one: "/runs/run_" in one.url)
    expect(page.locator("[role=status][data-kept] > #progress[data-kept]")).to_have_count(1)
    part.evaluate("(one) => { one.textContent = 'Something else.'; }")
    expect(page.get_by_text("It waits for its turn.")).to_be_visible()
    expect(page.locator("[role=status][data-kept] > #progress:not([data-kept])")).to_have_count(1)


def test_a_report_is_read_followed_to_the_trail_and_taken_home_with_the_keyboard_alone(
    stage: Stage, visit: Callable[..., Page]
) -> None:
    limit = stage.world.limit(60_000)
    page = visit(Role.AUDITOR)
    press(page, "Reports")
    expect(page.get_by_role("heading", level=1)).to_have_text("Four eyes")
    press(page, "Limit changes")
    expect(page.locator("main tbody tr").first).to_contain_text("At most $600.00 a day")
    with page.expect_download() as taken:
        tab_to(page, "Take it home (CSV)")
        page.keyboard.press("Enter")
    assert limit.id in taken.value.path().read_text(encoding="utf-8")
    page.locator("main tbody tr").first.get_by_role("link", name="of the trail").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main li.sheet")).to_have_count(1)
    expect(page.locator("main li.sheet")).to_contain_text("Limit made")


def test_the_trail_is_filtered_and_verified_without_scripts(stage: Stage, visit: Callable[..., Page]) -> None:
    limit = stage.world.limit(70_000)
    page = visit(Role.AUDITOR, java_script_enabled=False)
    page.get_by_label("About").fill(limit.id)
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("main li.sheet")).to_have_count(1)
    page.get_by_role("link", name="Verify", exact=True).click()
    page.get_by_role("button", name="Begin").click()
    carry_out(stage)
    page.get_by_role("link", name="Look anew").click()
    expect(page.locator("main")).to_contain_text("It is done.")
    expect(page.locator("main")).to_contain_text("Whole: rows 1 to")
