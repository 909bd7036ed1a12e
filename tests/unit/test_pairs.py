from typing import Any

import pytest

from governor.domain.pairs import MANY, Pair, unusual

OTHERS = Pair("cem", "dora", 1, 1, {})
"""Somebody else decides here, too."""


def pair(**fields: Any) -> Pair:
    given: dict[str, Any] = {
        "asker": "ana",
        "approver": "bob",
        "approved": MANY,
        "rejected": 0,
        "amounts": {},
    }
    return Pair(**given | fields)


def test_who_says_yes_to_nearly_everything_of_somebody_is_told() -> None:
    assert unusual([pair(), OTHERS]) == [pair()]
    assert unusual([pair(approved=6), pair(approver="eve", approved=2), OTHERS]) == [pair(approved=6)]


@pytest.mark.parametrize(
    "pairs",
    [
        [pair(approved=MANY - 1), OTHERS],
        [pair(rejected=1), OTHERS],
        [pair(approved=6), pair(approver="eve", approved=3), OTHERS],
        [pair(), pair(asker="cem")],
        [],
    ],
)
def test_what_may_be_chance_or_has_no_choice_is_not(pairs: list[Pair]) -> None:
    assert unusual(pairs) == []
