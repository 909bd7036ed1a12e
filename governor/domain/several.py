"""Which holds one person may decide with one look. Each of them is still decided by itself, as it was shown.

Saying no to many at once harms nobody. Saying yes to many is how people stop reading: so only to what belongs together,
and to no more than can be read.
"""

from __future__ import annotations

from collections.abc import Sequence

from governor.domain.approval import Choice
from governor.domain.errors import invalid
from governor.domain.requests import RefundRequest

MOST_DECIDED = 50
"""Lines on one page, and calls in one request of a browser."""

MOST_APPROVED = 20
"""More lines than this nobody reads one by one."""


def refuse_several(requests: Sequence[RefundRequest], choice: Choice) -> None:
    """Refuse to decide these together.

    Raises:
        Invalid: about `/lines`, or about `/choice` when less is to be approved, which has an amount of each.
    """
    if choice is Choice.APPROVE_LESS:
        raise invalid("/choice", "one_by_one", "Less is approved one by one.")
    if not requests:
        raise invalid("/lines", "none_chosen", "Select what you want to decide.")
    if len(requests) > MOST_DECIDED:
        raise invalid("/lines", "too_many", f"At most {MOST_DECIDED} are decided at once; select fewer.")
    if choice is Choice.APPROVE:
        _refuse_approving(requests)


def _refuse_approving(requests: Sequence[RefundRequest]) -> None:
    if len(requests) > MOST_APPROVED:
        raise invalid("/lines", "too_many", f"At most {MOST_APPROVED} are approved at once; select fewer.")
    if len({one.currency for one in requests}) > 1:
        raise invalid("/lines", "several_currencies", "What is approved together is of one currency.")
    customers = {one.customer for one in requests}
    if (len(customers) > 1 or customers == {None}) and len({held_by(one) for one in requests}) > 1:
        raise invalid(
            "/lines",
            "not_alike",
            "What is approved together is of one customer, or held for the same reasons.",
        )


def held_by(request: RefundRequest) -> frozenset[str]:
    """The rules, and the limit, that ask for its approval, by id."""
    limit = request.shown.get("held_by_limit")
    rules = {str(one["rule"]) for one in request.shown.get("rules", ())}
    return frozenset(rules if limit is None else rules | {str(limit)})
