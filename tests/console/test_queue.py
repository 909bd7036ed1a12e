"""The queue in the console: everything that waits is in one heap, under the words for what it waits for."""

from collections.abc import Callable

from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, Visitor

QUEUE = "/console/e/test/queue"


def under(page: Seen, words: str) -> str:
    """The text of the section with this heading; empty when there is none."""
    return next((one.text for one in page.all("section", class_="stack") if one.text.startswith(words)), "")


def queued(world: World, payment: str | None = None, amount: int = 500) -> RefundRequest:
    return world.request(world.caller(), payment or world.payment(5000), amount)


def test_what_waits_is_told_by_what_it_waits_for(world: World, visitor: Callable[[Role], Visitor]) -> None:
    cleo = visitor(Role.OPERATOR)
    assert "Nothing waits to be sent" in cleo.get(QUEUE).text
    world.limit(1_000_000)
    sending, payment = queued(world, first := world.payment(5000)), world.payment(5000)
    world.app.dispatch_refund.claim("test", 1)
    behind, frozen, ready = queued(world, first, 100), queued(world, payment), queued(world)
    draft = FreezeDraft(Scope.PAYMENT, payment, "looked into")
    world.app.freeze_refunds.freeze(world.operator, draft, fresh_key("freeze"))
    page = cleo.get(QUEUE)
    assert sending.id in under(page, "Being sent 1")
    assert behind.id in under(page, "Behind another refund 1")
    assert frozen.id in under(page, "Stopped by a freeze 1")
    assert ready.id in under(page, "Can be sent now 1")
    world.limit(10)
    world.app.dispatch_refund.claim("test", 5)
    page = cleo.get(QUEUE)
    assert ready.id in under(page, "Waits for room 1")
    assert "needs capacity" in under(page, "Waits for room 1")
    assert under(page, "Can be sent now") == ""
    assert "in all" in page.text
