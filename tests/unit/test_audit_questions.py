"""What a change of settings let go, for whoever looks after those who made it."""

from typing import Any

import pytest

from governor.domain.audit_questions import LetGo, let_go
from governor.domain.environments import Mode

TIGHT: dict[str, Any] = {
    "mode": Mode.ENFORCE.value,
    "raises_need_two": True,
    "prove_above": {"usd": 500},
    "type_above": {"usd": 900},
}


@pytest.mark.parametrize(
    ("changed", "kinds"),
    [
        ({}, ()),
        ({"mode": "observe"}, (LetGo.BLOCKING,)),
        ({"raises_need_two": False}, (LetGo.SECOND_PERSON,)),
        ({"prove_above": {}}, (LetGo.FRESH_PROOF,)),
        ({"type_above": {"usd": 901}}, (LetGo.TYPED_AMOUNT,)),
        ({"mode": "observe", "raises_need_two": False, "prove_above": {}, "type_above": {}}, tuple(LetGo)),
    ],
    ids=str,
)
def test_every_kind_that_was_let_go_is_named_and_no_other(
    changed: dict[str, Any], kinds: tuple[LetGo, ...]
) -> None:
    assert let_go({"from": TIGHT, "to": TIGHT | changed}) == kinds
    assert let_go({"from": TIGHT | changed, "to": TIGHT}) == (), "holding tighter lets nothing go"


def test_what_was_let_go_before_is_not_let_go_again() -> None:
    observing = TIGHT | {"mode": "observe"}
    assert let_go({"from": observing, "to": observing | {"raises_need_two": False}}) == (LetGo.SECOND_PERSON,)
