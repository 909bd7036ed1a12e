from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governor.domain.admission import decide
from governor.domain.quorum import Need, needs_in, reach, shortest, still_asked
from tests.unit.values import ask, limit, rule, situation


def test_every_need_is_met_or_the_hold_is_not_approved() -> None:
    """The lead and the treasurer are both asked: neither rule weakens the other."""
    lead, treasurer = Need(1, ("ana", "ben"), "rule_1"), Need(2, ("cem", "dora", "ana"), "rule_2")
    everybody = Need(2, None, "rule_3")

    def met(*people: str) -> list[bool]:
        return [not still_asked([need], dict.fromkeys(people, ())) for need in (lead, treasurer, everybody)]

    assert met("eve", "fay") == [False, False, True]
    assert met("ben", "ben") == [True, False, False]
    assert met("cem", "dora") == [False, True, True]
    assert met("ana", "cem") == [True, True, True]


def test_the_shortest_time_counts_and_a_rule_without_one_gives_the_usual() -> None:
    quick, usual = Need(1, None, "rule_1", 60), Need(1, None, "rule_2")
    assert shortest([usual, quick], 3600) == shortest([quick, usual], 3600) == 60
    assert shortest([usual, replace(quick, expires_seconds=7200)], 3600) == 3600
    assert shortest([replace(quick, expires_seconds=7200)], 3600) == 7200


def test_what_a_hold_needs_is_read_as_it_was_frozen() -> None:
    needs = (Need(2, ("ana", "ben"), "rule_1"), Need(1, None, "lim_1"))
    assert needs_in({"needs": [need.shown() for need in needs]}, 2) == needs
    assert needs_in({}, 3) == (Need(3, None, ""),), "a hold that says nothing more asks for its quorum"


def test_a_limits_threshold_and_a_rule_each_ask_for_themselves() -> None:
    around = situation(100, limit(approval_above=1), rules=(rule(quorum=2),))
    assert decide(ask(100), 100, around).needs == (Need(1, None, "lim_1"), Need(2, None, "rule_1"))


NAMES = ("ana", "ben", "cem", "dora")


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.none() | st.sets(st.sampled_from(NAMES), min_size=1)),
        min_size=1,
        max_size=3,
    ),
    st.dictionaries(st.sampled_from((*NAMES, "eve", "fay")), st.sets(st.sampled_from(NAMES), max_size=2)),
)
def test_it_is_enough_when_some_seating_meets_every_need_at_once(
    asked: list[tuple[int, set[str] | None]], approved: dict[str, set[str]]
) -> None:
    """Every seating is tried: each who approved sits on one chair for the whole hold, their own or one of their places."""
    needs = [
        Need(quorum, None if named is None else tuple(sorted(named)), "rule_1") for quorum, named in asked
    ]

    def meets(seating: tuple[str, ...]) -> bool:
        found = [len(approved) if named is None else len(named.intersection(seating)) for _, named in asked]
        return all(count >= quorum for count, (quorum, _) in zip(found, asked, strict=True))

    seatings = product(*({person, *places} for person, places in approved.items()))
    assert (still_asked(needs, approved) == ()) is any(map(meets, seatings))


def test_what_is_still_asked_for_names_who_is_left() -> None:
    lead, both, anybody = (
        Need(1, ("lea",), "rule_1"),
        Need(2, ("sam", "lea", "mia"), "rule_2"),
        Need(3, None, "rule_3"),
    )
    needs = (lead, both, anybody)
    assert still_asked(needs, {}) == needs
    assert still_asked(needs, {"sam": ()}) == (
        lead,
        Need(1, ("lea", "mia"), "rule_2"),
        Need(2, None, "rule_3"),
    )
    assert still_asked(needs, {"sam": ("lea",)}) == still_asked(needs, {"sam": ()})
    assert still_asked(needs, {"zoe": ("lea",)}) == (
        Need(1, ("sam", "mia"), "rule_2"),
        Need(2, None, "rule_3"),
    )
    assert still_asked(needs, {"sam": ("lea",), "mia": (), "eve": ()}) == ()


def test_a_stand_in_is_not_two_people_whom_two_rules_name() -> None:
    lead, treasurer = Need(1, ("lea",), "rule_1"), Need(1, ("sam",), "rule_2")
    assert still_asked([lead, treasurer], {"sam": ("lea",)}) == (lead,), "on their own chair"
    assert still_asked([lead, treasurer], {"sam": ("lea",), "zoe": ("sam",)}) == ()
    assert still_asked([lead, replace(lead, asked_by="rule_2")], {"lea": ()}) == (), "one person, one chair"


@pytest.mark.parametrize(
    ("asked", "may", "able", "strangers", "short"),
    [
        (None, {"ana", "ben"}, ("ana", "ben"), (), False),
        (None, {"ana"}, ("ana",), (), True),
        (("ana", "leo"), {"ana", "ben"}, ("ana",), ("leo",), True),
        (("ana", "ben", "leo"), {"ana", "ben"}, ("ana", "ben"), ("leo",), False),
    ],
)
def test_a_need_of_two_falls_short_where_fewer_of_those_asked_may_approve(
    asked: tuple[str, ...] | None,
    may: set[str],
    able: tuple[str, ...],
    strangers: tuple[str, ...],
    short: bool,
) -> None:
    at = reach(2, asked, may)
    assert (at.able, at.strangers, at.falls_short) == (able, strangers, short)
