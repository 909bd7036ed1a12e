import pytest

from governor.domain.errors import Conflict, Forbidden
from governor.domain.payments import refuse_unfit
from tests.unit.values import FACTS, refund, replaced

#   status              uses up what was captured
STATUSES = [
    ("pending",         True),
    ("requires_action", True),
    ("succeeded",       True),
    ("failed",          False),
    ("canceled",        False),
    # What is not understood is not given out a second time.
    (None,              True),
    ("of tomorrow",     True),
]  # fmt: skip


@pytest.mark.parametrize(("status", "uses"), STATUSES)
def test_a_refund_uses_up_the_payment_unless_it_is_known_to_be_back(status: str | None, uses: bool) -> None:
    assert refund(status).uses_capacity is uses


def test_refunds_made_elsewhere_are_all_that_name_no_request_of_ours() -> None:
    refunds = (
        refund(amount_minor=1),
        refund(amount_minor=20, request_id=None),
        refund(amount_minor=300, request_id="rr_of_another_environment"),
        refund("failed", amount_minor=4000, request_id=None),
        refund("pending", amount_minor=50_000, request_id=None),
    )
    facts = replaced(FACTS, refunds=refunds)
    assert facts.external_minor(frozenset({"rr_1"})) == 50_320
    assert facts.external_minor(frozenset()) == 50_321
    assert FACTS.external_minor(frozenset()) == 0


def test_a_payment_that_fits_passes() -> None:
    refuse_unfit(FACTS, "usd")


def test_a_live_payment_is_refused_before_anything_else() -> None:
    with pytest.raises(Forbidden) as refused:
        refuse_unfit(replaced(FACTS, livemode=True), "inr")
    assert refused.value.code == "live_mode_refused"


def test_another_currency_than_the_payments_is_refused() -> None:
    """Scenario 60: pounds typed for a payment in rupees."""
    with pytest.raises(Conflict) as refused:
        refuse_unfit(replaced(FACTS, currency="inr"), "gbp")
    assert refused.value.code == "currency_mismatch"
    assert refused.value.extra == {"payment_currency": "inr"}
