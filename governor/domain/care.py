"""What an approval in the console takes beside a click: of large amounts a fresh proof of who it is, and the amount typed.

Whoever comes with a key has shown its secret with this very call, so this is asked of people at an open browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from governor.domain.approval import Ballot, Choice
from governor.domain.environments import Environment
from governor.domain.errors import Forbidden, invalid
from governor.domain.requests import RefundRequest


def is_above(thresholds: Mapping[str, int], amount_minor: int, currency: str) -> bool:
    """Whether an amount exceeds what is named for its currency, in minor units.

    Where nothing is named, nothing does. Where other currencies are, whatever is more than nothing does: what was
    forgotten is asked about.
    """
    return bool(thresholds) and amount_minor > thresholds.get(currency, 0)


def refuse_careless(here: Environment, request: RefundRequest, ballot: Ballot, *, confirmed: bool) -> None:
    """Refuse an approval in the console that lacks what its amount takes. Saying no takes nothing.

    `confirmed`: they have proved in the last minutes who they are. Whoever approves less has typed that amount.

    Raises:
        Invalid: about `/typed_amount`. Forbidden: `confirmation_needed`.
    """
    if ballot.amount_minor is not None:
        approved = ballot.amount_minor
    elif ballot.choice is Choice.APPROVE:
        approved = request.amount_minor
        _refuse_untyped(here, request, ballot)
    else:
        return
    if is_above(here.prove_above, approved, request.currency) and not confirmed:
        raise _unproven()


def refuse_careless_sum(
    here: Environment, requests: Sequence[RefundRequest], typed_minor: int | None, *, confirmed: bool
) -> None:
    """Refuse to approve several at once, all of one currency, with less than what their sum takes.

    Raises:
        Invalid: about `/typed_amount` or `/lines`. Forbidden: `confirmation_needed`.
    """
    currency, whole = requests[0].currency, sum(one.amount_minor for one in requests)
    refuse_typed_one_by_one(here, requests)
    if is_above(here.type_above, whole, currency):
        _refuse_other_amount(whole, typed_minor)
    if is_above(here.prove_above, whole, currency) and not confirmed:
        raise _unproven()


def refuse_typed_one_by_one(here: Environment, requests: Sequence[RefundRequest]) -> None:
    """Refuse to approve with others what takes its own amount typed.

    Raises:
        Invalid: about `/lines`.
    """
    if any(is_above(here.type_above, one.amount_minor, one.currency) for one in requests):
        detail = "One of these is so large that its amount is typed: approve it by itself."
        raise invalid("/lines", "typed_one_by_one", detail)


def _refuse_untyped(here: Environment, request: RefundRequest, ballot: Ballot) -> None:
    if is_above(here.type_above, request.amount_minor, request.currency):
        _refuse_other_amount(request.amount_minor, ballot.typed_minor)


def _refuse_other_amount(amount_minor: int, typed_minor: int | None) -> None:
    if typed_minor is None:
        raise invalid("/typed_amount", "typed_amount_missing", "Type the amount that you approve.")
    if typed_minor != amount_minor:
        raise invalid("/typed_amount", "typed_amount_differs", "This is not the amount that is asked for.")


def _unproven() -> Forbidden:
    return Forbidden("confirmation_needed", "Prove again who you are, then approve this much.")
