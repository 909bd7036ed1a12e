"""What pages look like in between, or full: what no address alone leads to. Each state arranges itself and goes there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.deliveries import Receipt
from governor.domain.lifecycle import State as Standing
from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from governor.usecases.freeze import FreezeDraft
from tests.browser.stage import Stage
from tests.builders import fresh_key
from tests.console.examples import told
from tests.stack import eventually

HERE = "/console/e/test"


def _asked(stage: Stage, amount: int = 2000) -> RefundRequest:
    return stage.world.request(stage.world.caller(), stage.world.payment(5000), amount)


def _approved(stage: Stage, request: RefundRequest) -> None:
    """By one person, which is enough here; a worker sends it then."""
    stage.world.decide(stage.world.approver(), request, Choice.APPROVE)


def _in_doubt(stage: Stage) -> RefundRequest:
    """The provider did it, and its answer was lost."""
    request = _asked(stage)
    stage.world.provider.fault("drop_after", method="POST", path="/v1/refunds", payment=request.payment)  # type: ignore[union-attr]  # a stage's provider is the twin
    _approved(stage, request)
    eventually(lambda: stage.world.now(request).state is Standing.UNKNOWN, lambda: stage.stack.said("worker"))
    return request


def _desk(stage: Stage, page: Page) -> None:
    _in_doubt(stage)
    page.goto(f"{HERE}/unknown")
    expect(page.locator("main")).to_contain_text("At risk")


def _evidence(stage: Stage, page: Page) -> None:
    page.goto(f"{HERE}/unknown/{_in_doubt(stage).id}")


def _word_on_doubt(stage: Stage, page: Page) -> None:
    page.goto(f"{HERE}/unknown/{_in_doubt(stage).id}/resolve")
    page.locator("main input[type=radio]").first.check()
    page.get_by_label("you know").fill("It is in the Dashboard.")
    page.get_by_role("button", name="Look at it once more").click()
    expect(page.get_by_role("button", name="Say that it was made")).to_be_visible()


def _queue(stage: Stage, page: Page) -> None:
    request = _asked(stage)
    stop = FreezeDraft(Scope.PAYMENT, request.payment, "looked into")
    stage.world.app.freeze_refunds.freeze(stage.world.operator, stop, fresh_key("freeze"))
    _approved(stage, request)
    page.goto(f"{HERE}/queue")
    expect(page.get_by_role("heading", name="Stopped by a freeze")).to_be_visible()


def _simulated(stage: Stage, page: Page) -> None:
    page.goto(f"{HERE}/runs/new/simulate-policy")
    page.get_by_role("button", name="Begin").click()
    while stage.world.app.long_work.carry_out(bool) is not None:
        pass
    page.reload()
    expect(page.locator("main svg").first).to_be_visible()


def _raised_by_two_digits(stage: Stage, page: Page) -> None:
    page.goto(f"{HERE}/limits/{stage.world.limit(50_000_000).id}/edit")
    page.locator("#field-cap").fill("50000000.00")
    page.locator("#field-until").fill("4 hours")
    page.locator("main form button").last.click()
    expect(page.get_by_text("That is 100 times as much as now.")).to_be_visible()


def _rule_that_ends(_: Stage, page: Page) -> None:
    page.goto(f"{HERE}/rules")
    page.locator("main tbody a").first.click()
    page.get_by_role("button", name="Archive this rule").click()
    expect(page.get_by_role("button", name="Archive it")).to_be_visible()


def _changed_meanwhile(stage: Stage, page: Page) -> None:
    limit = stage.world.limit(60_000_000)
    page.goto(f"{HERE}/limits/{limit.id}/edit")
    stage.world.change_cap(limit, 50_000_000)
    page.locator("#field-cap").fill("400000.00")
    page.locator("main form button").last.click()
    expect(page.locator("main")).to_contain_text("$500,000.00")


def _hold_changed(stage: Stage, page: Page) -> None:
    request = _asked(stage)
    page.goto(f"{HERE}/holds/{request.hold}")
    stage.world.decide(stage.world.approver(), request, Choice.RETURN)
    page.get_by_role("button", name="Approve $20.00").click()
    expect(page.get_by_role("heading", name="It changed while you were looking")).to_be_visible()


def _wrong_everywhere(_: Stage, page: Page) -> None:
    page.goto(f"{HERE}/rules/new")
    page.locator("main form button").last.click()
    expect(page.get_by_role("alert")).to_be_visible()


def _deliveries(stage: Stage, page: Page) -> None:
    """One was given up, one waits."""
    endpoint, _ = told(stage.world, "the till")
    outgoing = stage.world.app.messages.deliver.outgoing
    for one in outgoing.claim(at_most=100):
        outgoing.failed(one, Receipt(503, "status_503", 12), None)
    stage.world.app.messages.endpoints.test(stage.world.operator, endpoint, fresh_key("told"))
    while stage.world.app.messages.tell():
        pass
    page.goto(f"{HERE}/endpoints/{endpoint}")
    expect(page.locator("main table")).to_contain_text("status 503")


def _asked_twice(stage: Stage, page: Page) -> None:
    """What was asked already, a verdict that refuses, and the box that allows it all the same."""
    request = _asked(stage)
    page.goto(f"{HERE}/refunds/new?payment={request.payment}&amount=20.00")
    page.get_by_role("button", name="Look at the verdict").click()
    expect(page.locator("#verdict")).to_be_focused()
    expect(page.get_by_label("This is no mistake")).to_be_visible()


def _not_allowed(_: Stage, page: Page) -> None:
    page.goto(f"{HERE}/limits")


def _not_there(_: Stage, page: Page) -> None:
    page.goto(f"{HERE}/refund-requests/rr_01jd0000000000000000000000")


@dataclass(frozen=True)
class PageState:
    """One of them: `said` is what the browser's console says of its status."""

    name: str
    role: Role
    go: Callable[[Stage, Page], None]
    said: str | None = None


STATES = (
    PageState("unknown-desk", Role.OPERATOR, _desk),
    PageState("in-doubt", Role.AUDITOR, _evidence),
    PageState("word-on-doubt", Role.OPERATOR, _word_on_doubt),
    PageState("queue-full", Role.OPERATOR, _queue),
    PageState("simulated", Role.AUDITOR, _simulated),
    PageState("limit-check", Role.OPERATOR, _raised_by_two_digits),
    PageState("limit-changed-meanwhile", Role.OPERATOR, _changed_meanwhile, "412"),
    PageState("hold-changed", Role.APPROVER, _hold_changed, "422"),
    PageState("rule-archive", Role.OPERATOR, _rule_that_ends),
    PageState("rule-refused", Role.OPERATOR, _wrong_everywhere, "422"),
    PageState("asked-twice", Role.AGENT, _asked_twice, "422"),
    PageState("deliveries", Role.OPERATOR, _deliveries),
    PageState("not-allowed", Role.AGENT, _not_allowed, "403"),
    PageState("not-there", Role.AUDITOR, _not_there, "404"),
)
