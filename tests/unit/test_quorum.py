from dataclasses import replace
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from governor.domain.admission import decide
from governor.domain.quorum import Need, needs_in, shortest
from tests.unit.values import ask, limit, rule, situation


def test_every_need_is_met_or_the_hold_is_not_approved() -> None:
    """The lead and the treasurer are both asked: neither rule weakens the other."""
    lead, treasurer = Need(1, ("ana", "ben"), "rule_1"), Need(2, ("cem", "dora", "ana"), "rule_2")
    everybody = Need(2, None, "rule_3")

    def met(*people: str) -> list[bool]:
        return [need.is_met(people) for need in (lead, treasurer, everybody)]

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
    st.sets(st.sampled_from(NAMES), min_size=1),
    st.dictionaries(st.sampled_from((*NAMES, "eve", "fay")), st.sets(st.sampled_from(NAMES), max_size=2)),
    st.integers(1, 4),
)
def test_as_many_places_are_taken_as_any_seating_can_fill(
    asked: set[str], said: dict[str, set[str]], quorum: int
) -> None:
    """Every seating is tried: each who approved in one place of theirs or in none, and no place twice."""
    need = Need(quorum, tuple(sorted(asked)), "rule_1")
    choices = [[None, *({person, *places} & asked)] for person, places in said.items()]
    seatings = ([place for place in one if place] for one in product(*choices))
    most = max((len(one) for one in seatings if len(set(one)) == len(one)), default=0)
    assert need.is_met(said, said) == (most >= quorum)
