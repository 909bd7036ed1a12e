"""Asking for a refund as a requester does, for the tests of that page."""

from governor.domain.lifecycle import State
from governor.ports.records import RequestFilter
from tests.builders import World
from tests.console.browsing import Seen, Visitor

NEW = "/console/e/test/refunds/new"
LOOK = "Look at the verdict"


def requests_of(world: World, payment: str) -> list[tuple[int, State]]:
    """Amount and state of what was asked of a payment."""
    with world.app.store.reading() as reads:
        found = reads.requests("test", RequestFilter(payments=(payment,)), after=None, at_most=10)
    return [(one.amount_minor, one.state) for one in found]


def asked(ada: Visitor, payment: str, amount: str, **answers: str) -> Seen:
    """What comes of filling in the form and looking at the verdict."""
    return ada.send(ada.get(f"{NEW}?payment={payment}").form(LOOK), amount=amount, **answers)
