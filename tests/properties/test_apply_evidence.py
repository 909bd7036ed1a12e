"""Invariant 8 once more, through the real use case."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.evidence import Evidence
from governor.domain.lifecycle import State
from tests.properties.one_request import OneRequest, really_applied
from tests.properties.orders import ORIGINS, PIECES, Standing, after_all

in_two_orders = st.lists(st.sampled_from(PIECES), min_size=2, max_size=6).flatmap(
    lambda pieces: st.tuples(st.permutations(pieces), st.permutations(pieces))
)


def _standing(world: OneRequest) -> Standing:
    after = world.standing
    return Standing(after.state, after.moved_minor, after.provider_reference)


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
