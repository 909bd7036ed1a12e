"""One box leads from any id to its page."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.environments import Mode
from governor.domain.requests import RefundRequest
from governor.ports.inbox import Received
from governor.ports.provider import ProviderEvent
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import Crew
from tests.fakes.provider import FakeProvider
from workers.drain import drain

HERE = "/console/e/test"
OTHER = "elsewhere"


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


@pytest.fixture(scope="module")
def elsewhere(world: World, refunded: RefundRequest) -> str:
    """A refund that was made without governor, and events about it, one of them in another environment."""
    world.app.change_environment.found(OTHER, EnvironmentDraft(Mode.ENFORCE, 25, 3600))
    provider, payment = world.provider, world.payment(5000)
    assert isinstance(provider, FakeProvider)
    refund = provider.refund_elsewhere(payment, 700).id
    world.drain(world.request(world.caller(), payment, 100))
    for event, environment, about, of in (
        ("evt_ours", "test", refunded.payment, refunded.provider_reference),
        ("evt_theirs", "test", payment, refund),
        ("evt_payment", "test", payment, None),
        ("evt_nothing", "test", None, None),
        ("evt_elsewhere", OTHER, payment, None),
    ):
        now = world.app.store.now()
        told = ProviderEvent(
            event, "refund.updated", now, livemode=False, account=None, payment=about, refund=of, key=None
        )
        world.app.inbox.keep(environment, [Received.of(told)])
    return refund


@pytest.mark.parametrize("role", list(Role))
def test_an_event_leads_to_what_it_was_about_as_far_as_that_may_be_seen(
    visitor: Callable[[Role], Visitor],
    refunded: RefundRequest,
    elsewhere: str,
    world: World,
    role: Role,
) -> None:
    external = world.app.browse.external_refund(world.operator, elsewhere)
    assert external is not None
    payments = f"{HERE}/refund-requests?payment={external.payment}"
    sees_others = role in {Role.OPERATOR, Role.AUDITOR}
    others = f"{HERE}/external-refunds?refund={elsewhere}"
    for wanted, address in (
        ("evt_ours", f"{HERE}/refund-requests/{refunded.id}"),
        ("evt_theirs", others if sees_others else payments),
        ("evt_payment", payments),
        (elsewhere, others if sees_others else f"{HERE}/find?q={elsewhere}"),
        (f"https://dashboard.stripe.com/test/payments/{external.payment}?x=1", payments),
    ):
        assert _found(visitor(role), wanted).address == address, wanted
    if sees_others:
        assert "$7.00" in visitor(role).get(others).text
    for nothing in ("evt_nothing", "evt_nobody", "evt_elsewhere"):
        assert _found(visitor(role), nothing).status == 404


def test_a_person_is_found_by_who_sees_people_and_only_where_they_have_a_role(
    visitor: Callable[[Role], Visitor], crew: Crew, world: World, elsewhere: str
) -> None:
    assert elsewhere, "the other environment is there"
    cleo = visitor(Role.OPERATOR)
    crew.somebody("zora", {OTHER: [Role.AGENT]})
    with world.app.store.reading() as reads:
        people = {one.owner: one.person for one in (*reads.credentials("test"), *reads.credentials(OTHER))}
    seen = _found(cleo, people["cleo"] or "")
    assert seen.address == f"{HERE}/people?person={people['cleo']}"
    assert [one.text for one in seen.all("th", scope="row")] == ["cleo"]
    for unknown in (people["zora"], "usr_00000000000000000000000000"):
        assert "Nobody here has this id" in _found(cleo, unknown or "").text
    assert _found(visitor(Role.AGENT), people["cleo"] or "").status == 404


def test_an_address_of_a_customer_is_said_to_be_kept_nowhere(visitor: Callable[[Role], Visitor]) -> None:
    seen = _found(visitor(Role.AGENT), "ann@example.com")
    assert seen.status == 404
    assert "No e-mail address of a customer is kept here" in seen.text


def test_a_name_leads_to_whom_it_is_of_for_those_who_may_see_them(
    visitor: Callable[[Role], Visitor], refunded: RefundRequest, world: World
) -> None:
    bot = world.caller(name="bot-key", agent="finding-bot", owner="zoe")
    with world.app.store.reading() as reads:
        cleo = next(one.person for one in reads.credentials("test") if one.owner == "cleo")
    agent, person = f"{HERE}/agents/{bot.credential.id}", f"{HERE}/people?person={cleo}"
    for role in Role:
        sees = role in {Role.OPERATOR, Role.AUDITOR}
        for wanted, address in (("Finding-Bot", agent), ("cleo", person)):
            case = f"{HERE}/refund-requests?case={wanted.upper()}"
            assert _found(visitor(role), wanted).address == (address if sees else case), role
    assert refunded.case == "ZD-77"
    world.caller(name="bot-77", agent="zd-77", owner="zoe")
    seen = _found(visitor(Role.OPERATOR), "zd-77")
    assert seen.address == f"{HERE}/refund-requests?case=ZD-77", (
        "a case with requests is meant, whoever is called so"
    )
