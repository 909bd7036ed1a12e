"""The search over the real lifecycle and fold, and its own test: each rule switched off must be missed."""

import pytest

from tests.properties.search import RULES, SWITCHED_OFF, search


def test_the_promises_hold_in_every_world() -> None:
    found = search(RULES)
    assert (found.violation, found.path) == (None, ())
    assert found.lives > 10_000, "the search hardly walked"
    assert found.worlds > 100_000, "the search hardly walked"


@pytest.mark.parametrize("rule", SWITCHED_OFF)
def test_without_a_rule_the_search_finds_the_harm(rule: str) -> None:
    rules, harm = SWITCHED_OFF[rule]
    found = search(rules)
    assert found.violation == harm
    assert found.path, "a way that leads to the harm"
