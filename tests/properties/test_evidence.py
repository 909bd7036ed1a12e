"""Invariant 8: any order, any repetition and any late arrival of the same evidence end alike."""

from itertools import combinations, permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.evidence import Evidence, Source, fold
from governor.domain.lifecycle import CAPACITY, Capacity, Event, State
from governor.domain.outcome import Outcome
from tests.properties.orders import (
    ABSENCE,
    ATTEMPTS,
    ORIGINS,
    PEOPLE,
    PIECES,
    Standing,
    after_all,
    after_one,
    verdict_of,
)
from tests.unit.values import EXPECTED, refund

in_any_order = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).flatmap(
    lambda pieces: st.tuples(st.just(pieces), st.permutations(pieces))
)

anything = st.builds(
    Evidence,
    st.sampled_from(Source),
    st.sampled_from(Outcome),
    st.sampled_from([None, 1, 2, 3]),
    st.booleans(),
    st.none()
    | st.builds(
        refund,
        st.sampled_from(["pending", "succeeded", "failed", None]),
        id=st.sampled_from(["re_1", "re_2"]),
        amount_minor=st.sampled_from([50, 100, 150]),
        payment=st.sampled_from(["pi_1", "pi_2", None]),
        currency=st.sampled_from(["usd", "eur"]),
        request_id=st.sampled_from(["rr_1", "rr_2", None]),
    ),
)


def _orders_ending_alike(
    origin: State, most: int, *, wished: bool, heard: tuple[Evidence, ...] = PIECES
) -> int:
    """How many orders of up to `most` pieces were shown to end alike, whichever piece came last.

    All orders of a set whose subsets end alike differ in their last piece only: so no order is left out.
    """
    ended, orders = {frozenset[Evidence](): Standing(origin)}, 0
    for size in range(1, most + 1):
        for pieces in map(frozenset, combinations(heard, size)):
            ends = {after_one(ended[pieces - {last}], pieces, wished=wished) for last in pieces}
            assert len(ends) == 1, (origin, wished, pieces, ends)
            ended[pieces] = ends.pop()
            orders += factorial(size)
    return orders


@pytest.mark.parametrize("wished", [False, True])
@pytest.mark.parametrize("origin", ORIGINS)
def test_every_order_of_three_pieces_ends_alike_from_every_state(origin: State, wished: bool) -> None:
    assert _orders_ending_alike(origin, 3, wished=wished) > 30_000


@pytest.mark.parametrize("wished", [False, True])
def test_every_order_of_four_pieces_of_a_request_in_doubt_ends_alike(wished: bool) -> None:
    assert _orders_ending_alike(State.UNKNOWN, 4, wished=wished) > 800_000


@pytest.mark.parametrize("wished", [False, True])
@pytest.mark.parametrize("people", PEOPLE)
def test_every_order_ends_alike_whenever_people_resolve(people: Evidence, wished: bool) -> None:
    """RELIABILITY G9: later contrary evidence wins, and so does earlier."""
    heard = (*PIECES, people)
    assert _orders_ending_alike(State.UNKNOWN, 3, wished=wished, heard=heard) > 30_000


def test_every_order_ends_alike_whenever_nothing_was_found_of_what_nobody_wants() -> None:
    """RELIABILITY §0, 2: a refund that appears after the look is booked, and so is one that appeared before."""
    assert _orders_ending_alike(State.UNKNOWN, 3, wished=True, heard=(*PIECES, ABSENCE)) > 30_000


def test_orders_walked_one_by_one_end_alike() -> None:
    """The same once more without the shortcut over subsets."""
    tried = 0
    for pieces in combinations(PIECES, 3):
        for wished in (False, True):
            orders = set(permutations(pieces))
            assert len({after_all(State.UNKNOWN, order, wished=wished) for order in orders}) == 1, pieces
            tried += len(orders)
    assert tried > 50_000


@pytest.mark.parametrize("origin", ORIGINS)
@settings(max_examples=150, deadline=None)
@given(orders=in_any_order, wished=st.booleans())
def test_any_number_of_pieces_repeated_in_any_order_ends_alike(
    origin: State, orders: tuple[list[Evidence], list[Evidence]], wished: bool
) -> None:
    one, other = orders
    ended = after_all(origin, tuple(one), wished=wished)
    assert after_all(origin, tuple(other), wished=wished) == ended
    assert after_one(ended, frozenset(one), wished=wished) == ended, "hearing it all again changes nothing"


@settings(max_examples=500, deadline=None)
@given(pieces=st.lists(anything, max_size=7), attempts=st.integers(0, 3), data=st.data())
def test_the_fold_is_a_function_of_the_set(
    pieces: list[Evidence], attempts: int, data: st.DataObject
) -> None:
    other = data.draw(st.permutations(pieces + pieces[:2]))
    assert fold(EXPECTED, attempts, pieces) == fold(EXPECTED, attempts, other)


@settings(max_examples=500, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=7), origin=st.sampled_from(ORIGINS))
def test_capacity_is_taken_as_long_as_money_may_be_gone(pieces: list[Evidence], origin: State) -> None:
    """Invariants 6 and 7: confirmed refunds that have not failed are never left without capacity."""
    verdict = verdict_of(frozenset(pieces))
    ended = after_all(origin, tuple(pieces), wished=False)
    if verdict.moved_minor or verdict.event in {Event.PROVE_PENDING, Event.PROVE_INCONSISTENT}:
        assert CAPACITY[ended.state] in {Capacity.HELD, Capacity.SETTLED}
    if CAPACITY[ended.state] is Capacity.SETTLED and verdict.event is not None and verdict.reference:
        assert ended.moved_minor >= EXPECTED.amount_minor


@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=7))
def test_a_release_needs_a_proof_for_every_attempt_or_one_that_speaks_for_all(pieces: list[Evidence]) -> None:
    event = verdict_of(frozenset(pieces)).event
    if event not in {Event.PROVE_REJECTED, Event.PROVE_NOT_EXECUTED}:
        return
    disproved = {p.attempt for p in pieces if p.outcome in {Outcome.REJECTED, Outcome.NOT_EXECUTED}}
    kept = any(p.kept and p.outcome is Outcome.REJECTED for p in pieces)
    assert kept or disproved >= set(range(1, ATTEMPTS + 1))
    assert not any(p.refund for p in pieces)
