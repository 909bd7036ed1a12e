"""What an approval in the console takes beside a click: a table of amounts, what is asked of them, and the answer."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from governor.domain.approval import Ballot, Choice
from governor.domain.care import is_above, refuse_careless
from governor.domain.environments import Environment, Mode, asks_less
from governor.domain.errors import GovernorError, Invalid
from tests.unit.values import NOON, replaced, request

HERE = Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 0, 1, NOON - timedelta(days=1))
BALLOT = Ballot(Choice.APPROVE, "sha256:0", 1)
PROVE, TYPE = {"prove_above": {"usd": 1000}}, {"type_above": {"usd": 1000}}
LESS = {"choice": Choice.APPROVE_LESS}

#   the environment                 asked for   the ballot                          proved  refused with
TABLE: list[tuple[dict[str, Any], tuple[int, str], dict[str, Any], bool, str | None]] = [
    ({},                            (9999, "usd"), {},                              False,  None),
    (PROVE,                         (1000, "usd"), {},                              False,  None),
    (PROVE,                         (1001, "usd"), {},                              False,  "confirmation_needed"),
    (PROVE,                         (1001, "usd"), {},                              True,   None),
    # A currency that nobody has thought of is asked about from the first minor unit on.
    (PROVE,                         (1, "eur"),    {},                              False,  "confirmation_needed"),
    ({"prove_above": {"eur": 1000}}, (1, "usd"),   {},                              False,  "confirmation_needed"),
    ({"prove_above": {"usd": 0}},   (1, "usd"),    {},                              False,  "confirmation_needed"),
    # What is approved counts, not what is asked for.
    (PROVE,                         (9999, "usd"), {**LESS, "amount_minor": 1000},  False,  None),
    (PROVE,                         (9999, "usd"), {**LESS, "amount_minor": 1001},  False,  "confirmation_needed"),
    # Saying no takes nothing.
    (PROVE,                         (9999, "usd"), {"choice": Choice.REJECT},       False,  None),
    (PROVE,                         (9999, "usd"), {"choice": Choice.RETURN},       False,  None),
    (TYPE,                          (9999, "usd"), {"choice": Choice.REJECT},       False,  None),
    (TYPE,                          (1000, "usd"), {},                              False,  None),
    (TYPE,                          (1001, "usd"), {},                              True,   "typed_amount_missing"),
    (TYPE,                          (1001, "usd"), {"typed_minor": 1000},           True,   "typed_amount_differs"),
    (TYPE,                          (1001, "usd"), {"typed_minor": 1001},           False,  None),
    (TYPE,                          (1, "eur"),    {},                              False,  "typed_amount_missing"),
    # Whoever approves less has typed how much.
    (TYPE,                          (9999, "usd"), {**LESS, "amount_minor": 5000},  False,  None),
    # Nobody proves who they are for a decision that is refused anyway.
    ({**PROVE, **TYPE},             (1001, "usd"), {"typed_minor": 7},              False,  "typed_amount_differs"),
    ({**PROVE, **TYPE},             (1001, "usd"), {"typed_minor": 1001},           False,  "confirmation_needed"),
]  # fmt: skip


@pytest.mark.parametrize(("here", "asked", "ballot", "proved", "code"), TABLE)
def test_a_large_approval_takes_a_fresh_proof_and_the_typed_amount(
    here: dict[str, Any], asked: tuple[int, str], ballot: dict[str, Any], proved: bool, code: str | None
) -> None:
    amount, currency = asked
    decided = (
        replaced(HERE, **here),
        replaced(request(), amount_minor=amount, currency=currency),
        replaced(BALLOT, **ballot),
    )
    if code is None:
        refuse_careless(*decided, confirmed=proved)
        return
    with pytest.raises(GovernorError) as refusal:
        refuse_careless(*decided, confirmed=proved)
    if isinstance(refusal.value, Invalid):
        assert (refusal.value.errors[0].pointer, refusal.value.errors[0].code) == ("/typed_amount", code)
    else:
        assert refusal.value.code == code


BOUNDS: list[dict[str, int]] = [
    {},
    *({"usd": amount} for amount in (0, 1, 2)),
    {"eur": 1},
    {"usd": 1, "eur": 1},
    {"usd": 2, "eur": 0},
]


@pytest.mark.parametrize(("before", "after"), list(product(BOUNDS, BOUNDS)))
def test_less_is_asked_where_an_amount_asked_for_care_and_does_not_any_more(
    before: dict[str, int], after: dict[str, int]
) -> None:
    let_go = [
        (minor, currency)
        for minor, currency in product((1, 2, 3), ("usd", "eur", "gbp"))
        if is_above(before, minor, currency) and not is_above(after, minor, currency)
    ]
    assert asks_less(before, after) is bool(let_go)
