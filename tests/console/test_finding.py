"""One box leads from any id to its page."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from workers.drain import drain

HERE = "/console/e/test"


@pytest.fixture(scope="module")
def refunded(world: World) -> RefundRequest:
    """A request whose refund was made."""
    world.limit(1_000_000)
    request = world.request(world.caller(), world.payment(5000, customer="cus_found"), 500, case="ZD-77")
    drain(world.app, request.id)
    return world.now(request)


def _found(visitor: Visitor, wanted: str) -> Seen:
    return visitor.send(visitor.get(f"{HERE}/find").form("Find"), q=wanted)


@pytest.mark.parametrize("role", list(Role))
def test_an_id_leads_to_its_page(
    visitor: Callable[[Role], Visitor], refunded: RefundRequest, world: World, role: Role
) -> None:
    page = f"{HERE}/refund-requests/{refunded.id}"
    with world.app.store.reading() as reads:
        known = reads.payment("test", refunded.payment)
    assert known is not None
    listed = f"{HERE}/refund-requests?payment={refunded.payment}"
    for wanted, address in (
        (refunded.id, page),
        (f"  {refunded.id}\t", page),
        (refunded.provider_reference or "", page),
        (refunded.payment, listed),
        (known[0].charge or "", listed),
        ("cus_found", f"{HERE}/refund-requests?customer=cus_found"),
        ("zd-77", f"{HERE}/refund-requests?case=ZD-77"),
    ):
        seen = _found(visitor(role), wanted)
        assert (seen.status, seen.address) == (200, address), wanted
        assert refunded.id in seen.text


def test_a_hold_leads_to_what_can_be_seen_of_it(
    visitor: Callable[[Role], Visitor], refunded: RefundRequest
) -> None:
    for role in Role:
        assert refunded.id in _found(visitor(role), refunded.hold or "").text


@pytest.mark.parametrize("wanted", ["re_of_nobody", "ch_of_nobody", "xy_1", "two words", "/console", "", "é"])
def test_what_leads_nowhere_is_said_to(visitor: Callable[[Role], Visitor], wanted: str) -> None:
    seen = _found(visitor(Role.AGENT), wanted)
    assert (seen.status, seen.title) == (404 if wanted else 200, "Find")


@pytest.mark.parametrize("wanted", ["rr_00000000000000000000000000", "hold_00000000000000000000000000"])
def test_an_id_of_nothing_is_not_there(visitor: Callable[[Role], Visitor], wanted: str) -> None:
    assert _found(visitor(Role.AGENT), wanted).status == 404


def test_an_id_is_found_where_it_is_and_in_no_other_environment(
    refunded: RefundRequest, world: World
) -> None:
    reference = refunded.provider_reference or ""
    looks = world.app.browse.lookups
    assert looks.request_of_refund("test", reference) == refunded.id
    assert looks.request_of_refund("elsewhere", reference) is None
    assert looks.payment_of_charge("elsewhere", "ch_1") is None
