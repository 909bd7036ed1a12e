from typing import Any

import pytest

from governor.domain.external import noticed
from governor.domain.lifecycle import State
from governor.domain.payments import ProviderRefund
from governor.domain.requests import RefundRequest, provider_key
from governor.domain.sightings import Sighting, sightings
from tests.unit.values import NOON, refund
from tests.unit.values import request as a_request


def of_ours(state: State = State.UNKNOWN, **fields: Any) -> RefundRequest:
    return a_request(id="rr_1", payment="pi_1", amount_minor=100, currency="usd", state=state, **fields)


def look(shown: ProviderRefund, *requests: RefundRequest, key: str | None = None) -> Sighting:
    keys = {shown.id: key} if key else {}
    (sighting,) = sightings([shown], {one.id: one for one in requests}, {}, keys)
    return sighting


def test_our_id_in_the_metadata_makes_it_ours() -> None:
    assert look(refund(), of_ours()).request == of_ours()


def test_the_id_that_an_earlier_reply_named_makes_it_ours() -> None:
    known = of_ours(provider_reference="re_1")
    assert look(refund(request_id=None), known).request == known


def test_our_key_on_the_event_makes_it_ours() -> None:
    """The metadata was edited in the Dashboard before anybody looked."""
    assert look(refund(request_id=None), of_ours(), key=provider_key("rr_1")).request == of_ours()


def test_the_same_payment_and_amount_are_no_match() -> None:
    """Scenario 49: our own 100 and the Dashboard's 100 are two refunds."""
    assert look(refund(request_id=None), of_ours()).request is None
    assert look(refund(request_id=None), of_ours(), key="somebody-elses-key").request is None
    assert look(refund(request_id="rr_of_another_environment"), of_ours()).request is None


def test_a_refund_that_names_a_denied_request_was_made_elsewhere() -> None:
    assert look(refund(), of_ours(State.DENIED)).request is None


#   state                     status             already what the state rests on
NEWS = [
    (State.SUCCEEDED,         "succeeded",       True),
    (State.SUCCEEDED,         "failed",          False),
    (State.SUCCEEDED,         "pending",         False),
    (State.PROVIDER_PENDING,  "pending",         True),
    (State.PROVIDER_PENDING,  "requires_action", True),
    (State.PROVIDER_PENDING,  "succeeded",       False),
    (State.FAILED,            "failed",          True),
    (State.FAILED,            "succeeded",       False),
    (State.REVERSED,          "failed",          True),
    (State.UNKNOWN,           "succeeded",       False),
    (State.DISPATCHING,       "succeeded",       False),
    (State.CANCELED,          "succeeded",       False),
]  # fmt: skip


@pytest.mark.parametrize(("state", "status", "known"), NEWS)
def test_only_what_a_state_does_not_rest_on_yet_is_news(state: State, status: str, known: bool) -> None:
    assert look(refund(status), of_ours(state, provider_reference="re_1")).tells_something is not known


def test_another_amount_currency_or_refund_is_always_news() -> None:
    settled = of_ours(State.SUCCEEDED, provider_reference="re_1")
    assert look(refund(amount_minor=99), settled).tells_something
    assert look(refund(currency="eur"), settled).tells_something
    assert look(refund(id="re_2"), settled).tells_something


def test_a_refund_made_elsewhere_is_news_once_and_when_it_goes_on() -> None:
    before = noticed(refund("pending", request_id=None), None, NOON)
    (again,) = sightings([refund("pending", request_id=None)], {}, {"re_1": before}, {})
    (further,) = sightings([refund("succeeded", request_id=None)], {}, {"re_1": before}, {})
    assert (again.tells_something, further.tells_something) == (False, True)


def test_a_refund_that_was_taken_for_one_made_elsewhere_is_news_of_its_request_once() -> None:
    settled = of_ours(State.SUCCEEDED, provider_reference="re_1")
    before = noticed(refund(request_id=None), None, NOON)
    (found,) = sightings([refund()], {"rr_1": settled}, {"re_1": before}, {})
    assert (found.request, found.known_as_external, found.tells_something) == (settled, True, True)
    after = before.of_request("rr_1", NOON)
    (again,) = sightings([refund()], {"rr_1": settled}, {"re_1": after}, {})
    assert (again.known_as_external, again.tells_something) == (False, False)
