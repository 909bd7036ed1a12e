"""A refund request as callers see it; by role where a field is not everybody's (RELIABILITY §5.2 T12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ConfigDict

from governor.api.output import Output, Time
from governor.api.shown_rules import FiredRuleOut, fired_rules_out
from governor.domain.admission import Decision, NextAction
from governor.domain.credentials import Role
from governor.domain.doubt import in_doubt_since
from governor.domain.hold_versions import may_read_words, open_question
from governor.domain.lifecycle import EFFECT, FINAL_STATES, ProviderEffect, State, money_moved, task
from governor.domain.money import Money
from governor.domain.requests import RefundRequest, shown_limits
from governor.domain.rule_words import shown_firings
from governor.http.money_display import amount_display
from governor.usecases.callers import Caller

RETRY_AFTER_SECONDS: Mapping[State, int] = {
    State.PENDING_APPROVAL: 30,
    State.QUEUED: 1,
    State.DISPATCHING: 2,
    State.UNKNOWN: 30,
    State.PROVIDER_PENDING: 60,
}
"""When it is worth looking again at a request that is not final: people, a worker, recovery, the bank."""


class LimitLineOut(Output):
    """The arithmetic of one limit as it was when the decision was taken."""

    model_config = ConfigDict(extra="allow")

    limit: str
    scope: str
    value: str | None
    window: str
    window_days: int | None = None
    cap: int
    settled: int
    reserved: int
    headroom: int
    requested: int
    resets_at: str | None


class UnresolvedOut(Output):
    """Another request of the same payment, of which nobody knows yet whether money left (`since` its first send)."""

    id: str
    state: str
    amount: int
    since: Time


class RefundRequestOut(Output):
    """A refund request as it stands. Amounts in minor units of `currency`: an approver may allow less than was asked.

    `question` is what an approver wants to know first; it is answered under `/answers`.
    `unresolved` are the other requests of its payment of which nobody knows yet whether money left; null where
    that was not looked at, as in lists. `manual`: two people said how it ended, no evidence did. `needs_capacity`
    are the limits that came later than it and have no room for it yet: it is held, and not sent before they have.
    """

    unresolved: list[UnresolvedOut] | None

    id: str
    environment: str
    operation_key: str
    payment: str
    amount: int
    asked_amount: int
    currency: str
    amount_display: str
    reason: str | None
    case: str | None
    note: str | None
    customer: str | None
    state: str
    effect: str
    task: str
    money_moved: str
    manual: bool
    provider_reference: str | None
    hold: str | None
    question: str | None
    denial: str | None
    duplicate_of: str | None
    requested_by: str
    created_at: Time
    updated_at: Time
    cancel_requested_at: Time | None
    needs_capacity: list[str]
    next_action: str
    next_action_at: Time | None
    retry_after_seconds: int | None
    limits: list[LimitLineOut]
    rules: list[FiredRuleOut]


def shown_request(
    request: RefundRequest, caller: Caller, unresolved: Iterable[RefundRequest] | None = None
) -> dict[str, Any]:
    """A refund request as this caller may see it."""
    own = may_read_words(request, caller.credential)
    return RefundRequestOut(
        unresolved=None if unresolved is None else _unresolved(unresolved),
        id=request.id,
        environment=request.environment,
        operation_key=request.operation_key,
        payment=request.payment,
        amount=request.amount_minor,
        asked_amount=request.asked_amount_minor,
        currency=request.currency,
        amount_display=amount_display(Money(request.amount_minor, request.currency)),
        reason=request.reason,
        case=request.case,
        note=request.note if own else None,
        customer=request.customer,
        state=request.state,
        effect=EFFECT[request.state],
        task=task(request.state, cancel_requested=request.cancel_requested_at is not None),
        money_moved=money_moved(request.state),
        manual=request.manual,
        provider_reference=request.provider_reference,
        hold=request.hold,
        question=_question(request) if own else None,
        denial=request.denial,
        needs_capacity=list(request.unproven) if request.parked else [],
        duplicate_of=request.duplicate_of,
        requested_by=request.requested_by,
        created_at=request.created_at,
        updated_at=request.updated_at,
        cancel_requested_at=request.cancel_requested_at,
        next_action=_next_action(request),
        next_action_at=request.next_action_at,
        retry_after_seconds=RETRY_AFTER_SECONDS.get(request.state),
        limits=[LimitLineOut(**line) for line in shown_limit_lines(request.limits, caller.role)],
        rules=fired_rules_out(request.rules, caller.role),
    ).model_dump(mode="json")


def _question(request: RefundRequest) -> str | None:
    return open_question(request) if request.state is State.PENDING_APPROVAL else None


def _next_action(request: RefundRequest) -> NextAction:
    """While a call may have reached the provider, another key could be a second refund; the same key never is."""
    in_doubt = EFFECT[request.state] is ProviderEffect.IN_DOUBT
    return NextAction.DO_NOT_RETRY_WITH_NEW_KEY if in_doubt else request.next_action


def _unresolved(others: Iterable[RefundRequest]) -> list[UnresolvedOut]:
    return [
        UnresolvedOut(id=one.id, state=one.state, amount=one.amount_minor, since=in_doubt_since(one))
        for one in others
    ]


def is_final(request: RefundRequest) -> bool:
    """Whether the task is over, so that waiting brings nothing."""
    return request.state in FINAL_STATES


def shown_limit_lines(lines: Iterable[Mapping[str, Any]], role: Role) -> list[dict[str, Any]]:
    """The arithmetic as a role may see it: an agent learns how much others hold, not what they refund."""
    if role is not Role.AGENT:
        return [dict(line) for line in lines]
    return [{**line, **_anonymous(line)} for line in lines]


def _anonymous(line: Mapping[str, Any]) -> dict[str, Any]:
    if "held_by" not in line:
        return {}
    return {
        "held_by": [
            {name: value for name, value in holder.items() if name != "refund_request"}
            for holder in line["held_by"]
        ]
    }


class PreviewOut(Output):
    """The verdict that a request would get now. It books nothing and promises nothing."""

    promise: bool = False
    unresolved: list[UnresolvedOut]
    state: str
    amount: int
    currency: str
    amount_display: str
    denial: str | None
    would_deny: str | None
    duplicate_of: str | None
    next_action: str
    next_action_at: Time | None
    limits: list[LimitLineOut]
    rules: list[FiredRuleOut]


def shown_preview(
    decision: Decision, currency: str, caller: Caller, unresolved: Iterable[RefundRequest]
) -> dict[str, Any]:
    """A verdict as this caller may see it."""
    return PreviewOut(
        unresolved=_unresolved(unresolved),
        state=decision.state,
        amount=decision.amount_minor,
        currency=currency,
        amount_display=amount_display(Money(decision.amount_minor, currency)),
        denial=decision.denial,
        would_deny=decision.would_deny,
        duplicate_of=decision.duplicate_of,
        next_action=decision.next_action,
        next_action_at=decision.next_action_at,
        limits=[
            LimitLineOut(**line) for line in shown_limit_lines(shown_limits(decision.lines), caller.role)
        ],
        rules=fired_rules_out(shown_firings(decision.rules), caller.role),
    ).model_dump(mode="json")
