import pytest

from governor.domain.errors import Conflict, Forbidden
from governor.domain.payments import refuse_unfit
from tests.unit.values import FACTS, replaced


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
