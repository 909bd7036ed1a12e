"""A support agent asks for refunds: with the keyboard alone, without scripts, and twice at once."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from governor.domain.credentials import Role
from governor.domain.limits import Scope
from tests.browser.keyboard import tab_to
from tests.browser.stage import Stage
from tests.browser.watching import check_page
from tests.console.crew import LOGINS
from tests.stack import eventually

NEW = "/console/e/test/refunds/new"


def test_a_refund_is_asked_for_and_made_with_the_keyboard_alone(
    stage: Stage, visit: Callable[..., Page], keep: Callable[[Page, str], None]
) -> None:
    stage.world.limit(1_000_000)
    payment = stage.world.payment(5000)
    page = visit(Role.AGENT)
    expect(page).to_have_title("New refund · test · governor")
    tab_to(page, "Payment")
    page.keyboard.type(payment)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Can still be refunded")).to_be_visible()
    tab_to(page, "Amount")
    page.keyboard.type("12.40")
    expect(page.locator("#verdict")).to_contain_text("It goes out at once.")
    keep(page, "new-refund")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Check the refund")
    check_page(page)
    keep(page, "new-refund-check")
    tab_to(page, "Refund $12.40")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_contain_text("Refunded")
    expect(page.get_by_role("main")).to_contain_text("We have refunded $12.40")
    page.get_by_role("button", name="Copy the words for the customer").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copy the words for the customer")).to_have_text("Copied")
    assert [write["amount"] for write in stage.world.writes(payment)] == [1240]


def test_without_scripts_everything_is_there_and_a_double_click_is_one_refund(
    stage: Stage, visit: Callable[..., Page]
) -> None:
    stage.world.limit(1_000_000)
    payment = stage.world.payment(5000)
    page = visit(Role.AGENT, java_script_enabled=False)
    page.goto(f"{NEW}?payment={payment}")
    page.get_by_role("link", name="Half of it").click()
    page.get_by_label("Note").fill("kept")
    page.get_by_role("button", name="Look at the verdict").click()
    page.get_by_role("button", name="Change something").click()
    expect(page.get_by_label("Note")).to_have_value("kept")
    page.get_by_role("button", name="Look at the verdict").click()
    page.get_by_role("button", name="Refund $25.00").dblclick()
    expect(page.get_by_role("main")).to_contain_text("Reference")
    eventually(lambda: _reads(page, "We have refunded $25.00"), lambda: stage.stack.said("worker"))
    assert [write["amount"] for write in stage.world.writes(payment)] == [2500]
    _remind(stage, page)


def _remind(stage: Stage, page: Page) -> None:
    """Whoever waits for an approver reminds them."""
    held = stage.world.payment(5000)
    stage.world.limit(5000, scope=Scope.PAYMENT, value=held, approval_above=1)
    request = stage.world.request(stage.world.caller(agent=LOGINS[Role.AGENT]), held, 1500)
    page.goto(f"/console/e/test/refund-requests/{request.id}")
    page.get_by_role("link", name="Remind the approvers").click()
    page.get_by_role("button", name="Remind them").click()
    expect(page.get_by_text("Its approvers are reminded.")).to_be_visible()


def _reads(page: Page, words: str) -> bool:
    page.reload()
    return words in page.inner_text("main")
