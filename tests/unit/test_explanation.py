"""A past decision, evaluated once more from what is kept of it."""

from dataclasses import replace
from typing import Any

import pytest

from governor.domain.admission import Denial
from governor.domain.explanation import Conclusion, Explanation, explain
from governor.domain.late_limits import POLICY
from governor.domain.requests import RefundRequest
from tests.unit import values


def line(headroom: int, requested: int = 500, measure: str = "amount") -> dict[str, Any]:
    return {
        "limit": "lim_1",
        "measure": measure,
        "cap": 1000,
        "settled": 0,
        "reserved": 1000 - headroom,
        "requested": requested,
    }


def rule(effect: str, mode: str = "enforce") -> dict[str, Any]:
    return {"effect": effect, "mode": mode}


def request(**fields: Any) -> RefundRequest:
    return replace(values.request(), **{"limits": (line(500),), "quorum": 0, **fields})


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (request(), Conclusion.AT_ONCE),
        (request(rules=(rule("approval"),), quorum=1), Conclusion.APPROVAL),
        (request(rules=(rule("approval", "dry_run"),)), Conclusion.AT_ONCE),
        (request(shown={"held_by_limit": "lim_1", "held_above": 499}, quorum=1), Conclusion.APPROVAL),
        (request(limits=(line(499),), denial=Denial.LIMIT_EXCEEDED), Conclusion.LIMIT_EXCEEDED),
        (request(limits=(line(500), line(499)), denial=Denial.LIMIT_EXCEEDED), Conclusion.LIMIT_EXCEEDED),
        (request(limits=(), denial=Denial.NO_LIMIT), Conclusion.NO_LIMIT),
        (request(limits=(line(9, 1, "count"),), denial=Denial.NO_LIMIT), Conclusion.NO_LIMIT),
        (
            request(rules=(rule("deny"), rule("approval")), denial=Denial.POLICY_DENIED),
            Conclusion.POLICY_DENIED,
        ),
    ],
)
def test_a_decision_follows_from_what_is_kept_of_it(asked: RefundRequest, found: Conclusion) -> None:
    explanation = explain(asked)
    assert explanation == Explanation(found.value, found, observed=False)
    assert explanation.agrees is True


def test_a_record_that_was_tampered_with_does_not_agree() -> None:
    assert explain(request(denial=Denial.LIMIT_EXCEEDED)).agrees is False
    assert explain(request(rules=(rule("approval"),))).agrees is False
    held = {"held_by_limit": "lim_1", "held_above": 500}
    assert explain(request(shown=held, quorum=1)).agrees is False, "it does not pass the threshold"


def test_what_was_only_observed_says_so() -> None:
    too_much = explain(request(limits=(line(499),)))
    unasked = explain(request(rules=(rule("approval"),), unproven=(POLICY,)))
    for explanation in (too_much, unasked):
        assert (explanation.observed, explanation.agrees) == (True, True)


@pytest.mark.parametrize(
    "denial", [Denial.PAYMENT_DISPUTED, Denial.POSSIBLE_DUPLICATE, Denial.AMOUNT_EXCEEDS_REFUNDABLE]
)
def test_what_lay_in_the_payment_cannot_be_evaluated_again(denial: Denial) -> None:
    explanation = explain(request(denial=denial))
    assert (explanation.recorded, explanation.found, explanation.agrees) == (denial.value, None, None)
