"""What a decision means to whoever asked: one sentence, why, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from governor.domain.admission import Decision, Denial, NextAction
from governor.domain.lifecycle import State
from governor.domain.money import Money
from governor.domain.requests import RefundRequest, shown_limits
from governor.domain.rule_words import shown_firings
from governor.domain.rules import RuleEffect, RuleMode
from governor.http.money_display import amount_display

DENIALS: Mapping[Denial, str] = {
    Denial.PAYMENT_NOT_REFUNDABLE: "Stripe does not refund a payment in this status.",
    Denial.PAYMENT_DISPUTED: "The payment is disputed: its money goes back by the dispute, not by a refund.",
    Denial.POSSIBLE_DUPLICATE: "This payment has a refund request of the same amount already.",
    Denial.AMOUNT_EXCEEDS_REFUNDABLE: "The payment has less left than this.",
    Denial.NO_LIMIT: "Nobody has set a limit for this currency here, and without one nothing is refunded.",
    Denial.LIMIT_EXCEEDED: "A limit has no room for it.",
    Denial.POLICY_DENIED: "A rule of this environment denies it.",
}

ADVICE: Mapping[NextAction, str] = {
    NextAction.WAIT_UNTIL: "Ask again when the limit starts over.",
    NextAction.USE_SMALLER_AMOUNT: "A smaller amount can fit.",
    NextAction.DO_NOT_RETRY: "Asking again changes nothing.",
}


Shown = tuple[Mapping[str, Any], ...]
"""Limits or rules with their arithmetic, as requests show them."""


@dataclass(frozen=True)
class ToldVerdict:
    """How a refund would be, or was, decided. `lines` are the limits that matter, and `rules` those that fired."""

    headline: str
    tone: str
    why: str
    advice: str = ""
    advice_at: datetime | None = None
    denial: Denial | None = None
    duplicate_of: str | None = None
    lines: Shown = ()
    rules: Shown = ()


def verdict_of(decision: Decision, currency: str) -> ToldVerdict:
    """What would be decided now of an amount of `currency`; no promise."""
    lines, rules = shown_limits(decision.lines), shown_firings(decision.rules)
    if decision.denial is not None:
        told = _denied("It would be denied", decision.denial, decision, lines, rules)
        if decision.denial is Denial.AMOUNT_EXCEEDS_REFUNDABLE and decision.refundable_minor:
            left = amount_display(Money(decision.refundable_minor, currency))
            return replace(told, advice=f"At most {left} of it can still be refunded.")
        return told
    if decision.state is State.PENDING_APPROVAL:
        return _held("It needs approval", decision.approval_limit, lines, rules)
    why = "It fits every limit."
    if decision.would_deny is not None:
        why = f"Only because limits are observed here, and not enforced: {DENIALS[decision.would_deny]}"
    return ToldVerdict("It goes out at once", "success", why)


def verdict_on(request: RefundRequest) -> ToldVerdict | None:
    """Why a request was denied, or waits for people; None for any other."""
    if request.denial is not None:
        return _denied("Denied", request.denial, request, request.limits, request.rules)
    if request.state is State.PENDING_APPROVAL:
        asking = request.shown.get("held_by_limit")
        return _held("It is held for approval", asking, request.limits, request.rules)
    return None


def _held(headline: str, asking: str | None, lines: Shown, rules: Shown) -> ToldVerdict:
    why = "Its amount stays reserved, and it goes out once approvers agree."
    above = tuple(line for line in lines if line["limit"] == asking)
    return ToldVerdict(headline, "warning", why, lines=above, rules=_with(rules, RuleEffect.APPROVAL))


def _denied(
    headline: str, denial: Denial, told: Decision | RefundRequest, lines: Shown, rules: Shown
) -> ToldVerdict:
    full = tuple(line for line in lines if line["requested"] > line["headroom"])
    return ToldVerdict(
        headline,
        "danger",
        DENIALS[denial],
        ADVICE.get(told.next_action, "") if denial is not Denial.POSSIBLE_DUPLICATE else "",
        told.next_action_at,
        denial,
        told.duplicate_of,
        full if denial is Denial.LIMIT_EXCEEDED else (),
        _with(rules, RuleEffect.DENY) if denial is Denial.POLICY_DENIED else (),
    )


def _with(rules: Shown, effect: RuleEffect) -> Shown:
    """Those that are acted on and have this effect."""
    return tuple(rule for rule in rules if rule["effect"] == effect and rule["mode"] == RuleMode.ENFORCE)
