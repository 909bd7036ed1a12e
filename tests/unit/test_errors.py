import pytest

from governor.domain import errors
from governor.domain.errors import (
    FieldError,
    GovernorError,
    Invalid,
    InvariantBroken,
    Refused,
    Unavailable,
    invalid,
    require,
)

# The tree as the top of the module draws it.
TREE = {
    Refused: GovernorError,
    errors.Malformed: Refused,
    errors.Unauthenticated: Refused,
    errors.TooManyTries: Refused,
    errors.Forbidden: Refused,
    errors.NotFound: Refused,
    errors.Conflict: Refused,
    Invalid: Refused,
    errors.PreconditionFailed: Refused,
    errors.PreconditionRequired: Refused,
    Unavailable: GovernorError,
    errors.Unconfirmed: Unavailable,
    InvariantBroken: GovernorError,
}


def test_the_tree_of_errors_is_the_one_drawn_above_it() -> None:
    defined = {
        thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, Exception)
    }
    assert defined == {GovernorError, *TREE}
    assert {error: error.__base__ for error in TREE} == TREE
    for error in TREE:
        assert error.__name__ in (errors.__doc__ or "")


@pytest.mark.parametrize("error", TREE)
def test_an_error_shows_its_code_and_its_sentence(error: type[GovernorError]) -> None:
    raised = error("some_code", "A sentence.", {"secret": "not shown"})
    assert str(raised) == "some_code: A sentence."
    with pytest.raises(GovernorError):
        raise raised


def test_an_error_about_a_field_says_which() -> None:
    error = invalid("/amount", "amount_step", "A sentence.")
    assert (error.code, error.detail) == ("validation_failed", "A sentence.")
    assert error.errors == (FieldError("/amount", "amount_step", "A sentence."),)


def test_unavailable_says_when_to_come_back() -> None:
    assert Unavailable("decision_not_recorded", "").retry_after_seconds == 1
    assert Unavailable("frozen", "", retry_after_seconds=30).retry_after_seconds == 30


def test_a_promise_that_holds_is_silent_and_one_that_does_not_is_not() -> None:
    require(condition=True, code="never")
    with pytest.raises(InvariantBroken) as broken:
        require(condition=False, code="held_twice", detail="rr_1")
    assert (broken.value.code, broken.value.detail) == ("held_twice", "rr_1")
    with pytest.raises(InvariantBroken) as silent:
        require(condition=False, code="held_twice")
    assert silent.value.detail == "held_twice"
