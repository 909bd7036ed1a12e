"""Operators stop refunds and start them again, with the keyboard alone; without scripts they change a limit."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.deliveries import Receipt
from governor.domain.lifecycle import State
from tests.browser.keyboard import press, write
from tests.browser.stage import Stage
from tests.browser.watching import Watch, check_page
from tests.stack import eventually

HERE = "/console/e/test"


def test_what_is_approved_while_refunds_are_stopped_leaves_when_two_people_let_it(
    stage: Stage, visit: Callable[..., Page]
) -> None:
    world = stage.world
    world.limit(10_000_000, approval_above=100)
    held = [world.request(world.caller(), world.payment(5000), 1000) for _ in range(3)]
    cleo = visit(Role.OPERATOR)
    press(cleo, "Stop and start")
    write(cleo, "Why", "a bot runs wild")
    press(cleo, "Stop now")
    expect(cleo.get_by_role("region", name="Refunds are stopped")).to_be_visible()
    for request in held:
        world.decide(world.approver(), request, Choice.APPROVE)
    assert {world.now(request).state for request in held} == {State.QUEUED}
    for operator, button in (
        (cleo, "Propose to go on"),
        (visit(login=stage.crew.somebody("dana", {"test": [Role.OPERATOR]})), "Let refunds go on"),
    ):
        operator.goto(f"{HERE}/freezes")
        assert [world.writes(request.payment) for request in held] == [[], [], []]
        press(operator, "Everything in this environment")
        expect(operator.get_by_role("heading", level=1)).not_to_have_text("Stop and start")
        write(operator, "Why", "the bot is off")
        press(operator, button)
        expect(operator.get_by_role("status").first).not_to_be_empty()
    eventually(
        lambda: all(world.now(request).state is State.SUCCEEDED for request in held),
        lambda: stage.stack.said("worker"),
    )
    assert [len(world.writes(request.payment)) for request in held] == [1, 1, 1]


def test_a_limit_that_somebody_else_changed_meanwhile_is_shown_with_both_without_scripts(
    stage: Stage, visit: Callable[..., Page], watch: Watch
) -> None:
    watch.expect("412")
    limit = stage.world.limit(50_000)
    page = visit(Role.OPERATOR, java_script_enabled=False)
    page.goto(f"{HERE}/limits/{limit.id}/edit")
    stage.world.change_cap(limit, 40_000)
    page.locator("#field-cap").fill("300.00")
    page.locator("main form button").last.click()
    expect(page.locator("main")).to_contain_text("$400.00")
    expect(page.locator("main")).to_contain_text("$300.00")


def test_a_key_is_made_shown_once_and_revoked_with_the_keyboard_alone(
    visit: Callable[..., Page],
) -> None:
    page = visit(Role.OPERATOR)
    press(page, "Keys")
    press(page, "New key")
    write(page, "Name", "night-bot")
    press(page, "Make the key")
    expect(page.get_by_text("It is shown now and never again")).to_be_visible()
    assert "gvk_test_" in page.inner_text("main")
    check_page(page)
    press(page, "To the key")
    press(page, "Revoke")
    write(page, "Why", "only tried")
    press(page, "Revoke it")
    expect(page.locator("main")).to_contain_text("Revoked")
    assert "gvk_test_" not in page.content()


def test_an_endpoint_is_made_given_another_secret_and_told_again_with_the_keyboard_alone(
    stage: Stage, visit: Callable[..., Page]
) -> None:
    page = visit(Role.OPERATOR)
    press(page, "Endpoints")
    press(page, "New endpoint")
    write(page, "URL", "https://hooks.example.com/governor")
    press(page, "Make the endpoint")
    expect(page.get_by_text("It is shown now and never again")).to_be_visible()
    first = _secret(page)
    check_page(page)
    press(page, "To the endpoint")
    press(page, "Replace the secret")
    press(page, "Replace the secret")
    assert _secret(page) not in {"", first}
    press(page, "To the endpoint")
    assert "whsec_" not in page.content()
    press(page, "Send a test message")
    press(page, "Send it")
    _given_up(stage)
    page.reload()
    press(page, "Endpoint is being tested: this is only a test")
    expect(page.locator("main")).to_contain_text("status 503")
    press(page, "Replay it")
    expect(page.get_by_role("status").first).not_to_be_empty()
    page.go_back()
    expect(page.locator("main")).to_contain_text("Waits")


def _secret(page: Page) -> str:
    """The one that is shown now and never again."""
    shown = re.search(r"whsec_\S+", page.inner_text("main"))
    return shown[0] if shown else ""


def _given_up(stage: Stage) -> None:
    """What was to be told is refused by whoever listens there, for good."""
    messages = stage.world.app.messages
    while messages.tell():
        pass
    for one in messages.deliver.outgoing.claim(at_most=100):
        messages.deliver.outgoing.failed(one, Receipt(503, "status_503", 12), None)
