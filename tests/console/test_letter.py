"""What a customer is told: nothing that is in doubt is promised, and nothing that was decided is announced."""

import re
from dataclasses import replace

import pytest

from governor.console.request.letter import letter_to_customer
from governor.domain.lifecycle import State
from governor.domain.payments import PaymentMethod
from tests.unit import values

VISA = replace(values.FACTS, method=PaymentMethod("card", "visa", "4242"))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.PENDING_APPROVAL, "Your refund of $1.00 is being checked. Nothing has been sent yet."),
        (State.QUEUED, "Your refund of $1.00 is being processed."),
        (State.UNKNOWN, "Your refund of $1.00 is being processed."),
        (State.PROVIDER_PENDING, "Your refund of $1.00 is on its way to the Visa card ending 4242."),
        (
            State.SUCCEEDED,
            "We have refunded $1.00 to the Visa card ending 4242. How soon you see it is up to",
        ),
        (State.FAILED, "Your refund of $1.00 did not go through. No money has moved."),
        (State.REVERSED, "We refunded $1.00 to the Visa card ending 4242, and the bank sent it back:"),
    ],
)
def test_the_words_say_how_it_stands_where_the_money_goes_and_under_what_to_ask(
    state: State, words: str
) -> None:
    letter = letter_to_customer(values.request(state), VISA)
    assert letter is not None
    assert letter.startswith(words)
    assert letter.endswith(" Our reference is rr_1.")


@pytest.mark.parametrize("state", [State.DENIED, State.REJECTED, State.EXPIRED, State.CANCELED])
def test_there_are_no_words_for_what_was_decided_against(state: State) -> None:
    assert letter_to_customer(values.request(state), VISA) is None


@pytest.mark.parametrize("state", list(State))
def test_only_what_was_refunded_is_said_to_be(state: State) -> None:
    letter = letter_to_customer(values.request(state), VISA) or ""
    assert bool(re.search(r"\brefunded\b", letter)) == (state in {State.SUCCEEDED, State.REVERSED})


@pytest.mark.parametrize("state", [State.DISPATCHING, State.UNKNOWN])
def test_what_nobody_wants_any_more_is_not_said_to_be_on_its_way(state: State) -> None:
    """Invariant 16: it may have been made all the same, so it is not said to be off, either."""
    letter = letter_to_customer(values.request(state, cancel_requested_at=values.NOON), VISA)
    assert letter == (
        "We are finding out whether your refund of $1.00 was made. We will tell you once it is known."
        " Our reference is rr_1."
    )


def test_the_case_of_the_customer_is_their_reference() -> None:
    letter = letter_to_customer(values.request(State.QUEUED, case="ZD-7"), None)
    assert letter is not None
    assert letter.endswith(" Our reference is ZD-7.")


@pytest.mark.parametrize("method", [None, PaymentMethod("konbini"), PaymentMethod("card")])
def test_where_it_goes_is_said_only_by_a_number_that_the_customer_can_compare(
    method: PaymentMethod | None,
) -> None:
    letter = letter_to_customer(values.request(State.SUCCEEDED), replace(VISA, method=method))
    assert letter is not None
    assert letter.startswith("We have refunded $1.00. How soon")
