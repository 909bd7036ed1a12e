"""In a story of its own: what it leaves behind would be unexplained to every other test."""

from governor.domain.outcome import Outcome
from governor.domain.requests import provider_key
from governor.ports.provider import RefundOrder
from tests.cli.story import Story
from tests.cli.telling import Told


def test_a_refund_that_claims_a_request_which_is_not_in_the_books_is_exit_one(
    here: Told, story: Story
) -> None:
    """What a database that lost its newest rows would meet: somebody must look."""
    payment = story.twin.payment(700, customer="cus_2")
    claimed = "rr_00000000000000000000000000"
    lost = RefundOrder(claimed, payment, 50, "usd", None, provider_key(claimed), "acct_any")
    made = story.app.dispatch_refund.provider.create_refund(lost, first=True, deadline_seconds=10)
    assert made.outcome is Outcome.ACCEPTED
    heard = here("reconcile", "--json")
    assert (heard.code, heard.value["unexplained"]) == (1, 1)
    (line,) = [one for one in heard.value["lines"] if not one["explained"]]
    assert line["explanation"] == "claims_unknown_request"
    assert (line["refund_request"], line["payment"]) == (None, payment)
    assert "claims_unknown_request" in here("reconcile").text
