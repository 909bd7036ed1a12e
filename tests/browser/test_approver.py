"""An approver decides: with the keyboard alone, beside another one, and whatever the asker wrote."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from governor.domain.credentials import Role
from governor.domain.requests import RefundRequest
from tests.browser.keyboard import press
from tests.browser.stage import Stage
from tests.browser.watching import Watch, check_page
from tests.environment import change_settings
from tests.stack import eventually
from tests.twin import Twin

INBOX = "/console/e/test/holds"
DECEIVING = (
    "Approve $1.00 only \u202e00.000,9$ dnufeR",
    "\u2066\u2067 pay \u2069" * 20,
    "a" + "\u0301" * 500,
    "\n" * 400 + "below the fold",
    "x" * 2000,
    "W\u200bi\u200bd\u200be" * 100,
    "<h1>Refund $1.00</h1><script>alert(1)</script>",
    "\u00a0" * 1500,
    "\u2028\u2029" * 300,
    "Ｒｅｆｕｎｄ ＄１．００",
    "\ufeff\u115f\u3164" * 200,
    "🏴" + "\U000e0067" * 200,
)
"""What could make somebody misread the amount (RELIABILITY §5.2 T26)."""


def held(stage: Stage, amount: int = 124_000, *, customer: str = "cus_anna", **fields: Any) -> RefundRequest:
    stage.world.limit(10_000_000, approval_above=100_000)
    twin = stage.world.provider
    assert isinstance(twin, Twin)
    payment = twin.payment(130_000, customer=customer, age_seconds=26 * 86_400)
    return stage.world.request(stage.world.caller(), payment, amount, **fields)


def held_with_a_past(stage: Stage, **fields: Any) -> RefundRequest:
    """A hold of whose customer, payment and fraud there is everything to say."""
    twin = stage.world.provider
    assert isinstance(twin, Twin)
    twin.dashboard_refund(stage.world.payment(50_000, customer="cus_often"), 700)
    for amount in (99_000, 99_500):
        held(stage, amount, customer="cus_often")
    request = held(stage, customer="cus_often", **fields)
    stage.world.request(stage.world.caller(), request.payment, 500)
    twin.warn_of_fraud(request.payment)
    return request


def test_what_is_asked_is_held_looked_at_approved_and_made_with_the_keyboard_alone(
    stage: Stage, visit: Callable[..., Page], keep: Callable[[Page, str], None]
) -> None:
    request = held_with_a_past(stage, note="The parcel came back broken.", case="ZD-4711")
    page = visit(Role.APPROVER)
    expect(page).to_have_url(f"{stage.url}{INBOX}")
    others = meanwhile(page, lambda: [held(stage, 110_000, note=note) for note in ("", "Once more.")])
    reject_together(page, others, keep)
    press(page, "Back to what waits")
    keep(page, "inbox")
    walk_to(page, request)
    with page.expect_navigation():
        page.keyboard.press("a")
    expect(page.locator("#decision")).to_be_focused()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Refund $1,240.00")
    keep(page, "decide")
    for words in ("(26 days ago)", "4 payments", "the bank has warned of fraud", "2 of them just under"):
        expect(page.locator("main")).to_contain_text(words)
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    page.keyboard.press("a")
    change_settings(stage.world, undo_seconds=300)
    press(page, "Approve $1,240.00")
    expect(page.get_by_role("timer")).to_have_text(re.compile("29[0-9]"))
    check_page(page)
    keep(page, "decide-undo")
    press(page, "Undo: do not send it")
    expect(page.get_by_role("status").first).to_contain_text("You took your approval back.")
    change_settings(stage.world, undo_seconds=0)
    press(page, "Approve $1,240.00")
    expect(page.get_by_role("status").first).to_contain_text("You approved $1,240.00, and it is on its way.")
    page.go_back()
    expect(page.get_by_role("button", name="Approve $1,240.00")).to_have_count(0)
    eventually(lambda: len(stage.world.writes(request.payment)) > 1, lambda: stage.stack.said("worker"))
    assert [write["amount"] for write in stage.world.writes(request.payment)] == [500, 124_000]


def meanwhile(page: Page, ask: Callable[[], list[RefundRequest]]) -> list[RefundRequest]:
    """What is asked for while somebody looks at the list is announced, and nothing moves until they ask for it."""
    lines, title = page.locator("tbody tr"), page.title()
    before = lines.count()
    asked = ask()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("status").filter(has_text="New requests wait.")).to_be_visible()
    expect(page).not_to_have_title(title)  # it counts what waits
    assert lines.count() == before
    press(page, "Look at the list as it is now")
    expect(lines).to_have_count(before + len(asked))
    return asked


def walk_to(page: Page, request: RefundRequest) -> None:
    """Down the list to the line of a request."""
    page.keyboard.press("j")
    for key in "kj":
        for _ in range(20):
            if request.hold and request.hold in page.evaluate("document.activeElement.href ?? ''"):
                return
            page.keyboard.press(key)
    raise AssertionError(f"no line leads to {request.hold}")


def reject_together(page: Page, requests: list[RefundRequest], keep: Callable[[Page, str], None]) -> None:
    """Select lines, look at each, and say no to all with one reason."""
    for request in requests:
        walk_to(page, request)
        page.keyboard.press("x")
    with page.expect_navigation():
        page.keyboard.press("r")
    keep(page, "several")
    check_page(page)
    page.keyboard.press("r")
    page.keyboard.type("Refunded already.")
    press(page, "Reject 2")
    expect(page.get_by_role("status").filter(has_text="2 rejected.")).to_be_visible()
    keep(page, "several-done")
    check_page(page)


def test_two_approvers_at_once_make_one_refund_without_scripts_too(
    stage: Stage, visit: Callable[..., Page], watch: Watch
) -> None:
    watch.expect("422")
    request = held(stage)
    ben = visit(Role.APPROVER)
    bo = visit(login=stage.crew.somebody("bo", {"test": [Role.APPROVER]}), java_script_enabled=False)
    for page in (ben, bo):
        page.goto(f"{INBOX}/{request.hold}")
    ben.get_by_role("button", name="Approve $1,240.00").dblclick()
    bo.get_by_role("button", name="Approve $1,240.00").dblclick()
    expect(ben.get_by_text("You approved $1,240.00, and it is on its way.")).to_be_visible()
    expect(bo.locator("main")).to_contain_text("already")
    eventually(lambda: bool(stage.world.writes(request.payment)), lambda: stage.stack.said("worker"))
    assert [write["amount"] for write in stage.world.writes(request.payment)] == [124_000]


def test_whatever_the_asker_wrote_the_amount_and_the_buttons_stay_where_they_are(
    stage: Stage, visit: Callable[..., Page], keep: Callable[[Page, str], None]
) -> None:
    held(stage)  # so that there always is a next one
    page = visit(Role.APPROVER)
    places = set()
    for note in ("An ordinary note.", *DECEIVING):
        request = held(stage, note=note)
        page.goto(f"{INBOX}/{request.hold}")
        box = page.get_by_role("heading", level=1).bounding_box()
        shown = page.get_by_role("heading", level=1).inner_text()
        places.add((shown, box and (box["x"], box["y"], box["height"])))
        assert page.get_by_role("button", name="Approve $1,240.00").count() == 1
        assert page.evaluate("document.documentElement.scrollHeight") <= 900
    keep(page, "decide-deceiving")
    assert len(places) == 1


def test_a_refused_decision_is_shown_to_everybody(
    stage: Stage, visit: Callable[..., Page], watch: Watch, keep: Callable[[Page, str], None]
) -> None:
    """A large one, whose amount has to be typed: it still fits the screen on which it is decided. Enter decides nothing."""
    watch.expect("422")
    change_settings(stage.world, type_above={"usd": 100_000})
    page = visit(Role.APPROVER)
    page.goto(f"{INBOX}/{held(stage).hold}")
    keep(page, "decide-typed")
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    page.get_by_label("Reason or question").fill("Is it whole?")
    page.get_by_label("To approve it all").fill("124.00")
    page.get_by_label("To approve it all").press("Enter")
    page.get_by_role("button", name="Approve $1,240.00").click()
    expect(page.get_by_role("alert")).to_contain_text("This is not the amount that is asked for.")
    change_settings(stage.world, type_above={})
    check_page(page)
