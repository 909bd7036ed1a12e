"""Invariant 8 once more, through the real use case."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.evidence import Evidence
from governor.domain.lifecycle import State
from tests.properties.one_request import OneRequest, really_applied
from tests.properties.orders import ORIGINS, PEOPLE, PIECES, Standing, after_all


def _in_two_orders(pieces: list[Evidence]) -> st.SearchStrategy[tuple[list[Evidence], list[Evidence]]]:
    return st.tuples(st.permutations(pieces), st.permutations(pieces))


some_pieces = st.lists(st.sampled_from(PIECES), min_size=2, max_size=6)
in_two_orders = some_pieces.flatmap(_in_two_orders)
with_people = st.tuples(some_pieces, st.sampled_from(PEOPLE)).flatmap(
    lambda drawn: _in_two_orders([*drawn[0], drawn[1]])
)


def _standing(world: OneRequest) -> Standing:
    after = world.standing
    return Standing(after.state, after.moved_minor, after.provider_reference, after.manual)


@pytest.mark.parametrize("origin", ORIGINS)
@settings(max_examples=60, deadline=None)
@given(orders=in_two_orders, wished=st.booleans())
def test_the_use_case_ends_where_the_tables_end_in_any_order(
    origin: State, orders: tuple[list[Evidence], list[Evidence]], wished: bool
) -> None:
    one, other = orders
    ended = _standing(really_applied(origin, one, wished=wished))
    assert _standing(really_applied(origin, other + one[:2], wished=wished)) == ended
    assert after_all(origin, tuple(one), wished=wished) == ended


@settings(max_examples=300, deadline=None)
@given(orders=with_people, wished=st.booleans())
def test_what_people_say_of_a_request_in_doubt_has_its_weight_in_any_order(
    orders: tuple[list[Evidence], list[Evidence]], wished: bool
) -> None:
    """RELIABILITY G9: evidence that comes before, after or between ends where it ends without their haste."""
    one, other = orders
    ended = _standing(really_applied(State.UNKNOWN, one, wished=wished))
    assert _standing(really_applied(State.UNKNOWN, other + one[:2], wished=wished)) == ended
    assert after_all(State.UNKNOWN, tuple(one), wished=wished) == ended
