"""Admitting refund requests: a batch of them, in one transaction, each decided in its turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from governor.checkpoint import checkpoint
from governor.domain.admission import Ask, Decision, PaymentBook, Sibling, Situation, decide, take
from governor.domain.approval import WARNED_BEFORE
from governor.domain.approval_facts import shown_facts
from governor.domain.credentials import Kind, Role, alive
from governor.domain.environments import Mode
from governor.domain.errors import Conflict, Forbidden, GovernorError, NotFound, Unauthenticated
from governor.domain.freezes import refuse_frozen
from governor.domain.hold_versions import CONVERSATION
from governor.domain.late_limits import ANY_AMOUNT_LIMIT, POLICY, any_amount
from governor.domain.lifecycle import State
from governor.domain.limit_lines import threshold_of
from governor.domain.money import Money, amount_text, refundable_amount
from governor.domain.payments import PaymentFacts, refuse_unfit
from governor.domain.quorum import largest, shortest
from governor.domain.requests import RefundRequest, hold_of_request, shown_limits, spelled
from governor.domain.rule_words import shown_firings
from governor.domain.rules import RuleEffect, RuleMode
from governor.ports.store import Transaction
from governor.ports.world import IdFactory
from governor.usecases.admission_board import (
    Board,
    Decided,
    FactsNeeded,
    Intent,
    read_board,
    record,
    remember,
)
from governor.usecases.expire_holds import expire_due
from governor.usecases.replay import Answer, replay
from governor.usecases.see_refunds import see_payments


def admit_all(
    tx: Transaction, intents: Sequence[Intent], ids: IdFactory, max_age: timedelta
) -> list[Answer | FactsNeeded | GovernorError]:
    """Decide every intent in order; a refusal of one is its own answer and changes nothing for the others."""
    if see_payments(tx, (intent.facts for intent in intents if intent.facts is not None)):
        tx.flush()
    board = read_board(tx, intents, max_age)
    if board.any_expired:
        expire_due(tx)
        board = read_board(tx, intents, max_age)
    answers: list[Answer | FactsNeeded | GovernorError] = []
    for intent in intents:
        try:
            answers.append(_admit(tx, board, intent, ids))
        except GovernorError as refusal:
            answers.append(refusal)
    checkpoint("admit.decided")
    recorded = record(tx, board)
    return [
        replace(answer, request=recorded.get(answer.request.id, answer.request))
        if isinstance(answer, Answer)
        else answer
        for answer in answers
    ]


def _admit(tx: Transaction, board: Board, intent: Intent, ids: IdFactory) -> Answer | FactsNeeded:
    known = board.known.get(intent.key)
    if known is not None:
        return replay(known, intent.fingerprint)
    refuse_requester(tx, board, intent)
    if intent.ask.payment not in board.payments:
        return FactsNeeded()
    amount, situation = situate(tx, board, intent)
    decision = decide(intent.ask, amount, situation)
    # From here it must succeed, or nothing of the batch is recorded.
    request = _request(tx, intent, decision, situation, ids)
    take(decision, situation)
    remember(board, Decided(intent, decision, request))
    return Answer(request, replayed=False)


def situate(tx: Transaction, board: Board, intent: Intent) -> tuple[int, Situation]:
    """The amount in question and everything its decision looks at.

    Raises:
        Refused: what is asked can never be a refund of this payment, or rests on a mistaken belief.
        Unavailable: `frozen`.
    """
    facts, book = board.payments[intent.ask.payment]
    refuse_unfit(facts, intent.ask.currency)
    refuse_frozen(board.freezes, intent.subject(facts))
    amount = _amount(intent.ask, facts, book)
    _refuse_mistaken_belief(intent, book.remaining(facts.captured_minor))
    return amount, Situation(
        facts=facts,
        book=book,
        siblings=board.siblings[facts.payment],
        charges=tuple(charge.of(amount) for charge in board.charges[intent]),
        usage=board.usage,
        now=tx.now,
        rules=board.rules,
        requester=intent.caller.credential.kind,
        first_refund=board.is_first_refund(facts),
        observe=tx.here.mode is Mode.OBSERVE,
        duplicate_allowed=_may_repeat(tx, intent, board.siblings[facts.payment]),
    )


def _amount(ask: Ask, facts: PaymentFacts, book: PaymentBook) -> int:
    """The asked amount; "remaining" becomes a number here and stays it."""
    if ask.amount_minor is not None:
        return ask.amount_minor
    remaining = book.remaining(facts.captured_minor)
    if remaining:
        refundable_amount(remaining, ask.currency)
    return remaining


def refuse_requester(tx: Transaction, board: Board, intent: Intent) -> None:
    """Refuse whoever may not ask. Rights are read inside the transaction: a key revoked a moment ago asks for nothing.

    Raises:
        Unauthenticated: `credential_invalid`. Forbidden: `role_not_allowed` for any but agents.
    """
    chain = board.chains.get(intent.caller.credential.id, ())
    if not alive(chain, tx.now):
        raise Unauthenticated("credential_invalid", "The key is not valid.")
    if chain[0].role is not Role.AGENT:
        raise Forbidden("role_not_allowed", f"A credential with the role {chain[0].role} asks for no refund.")


def _refuse_mistaken_belief(intent: Intent, remaining: int) -> None:
    expected, currency = intent.expected_refundable, intent.ask.currency
    if expected is not None and expected != remaining:
        believed, left = (amount_text(Money(minor, currency)) for minor in (expected, remaining))
        raise Conflict(
            "refundable_mismatch",
            f"You expected {believed} to be refundable; it is {left}.",
            {"expected_refundable": expected, "refundable": remaining},
        )


def _may_repeat(tx: Transaction, intent: Intent, siblings: Sequence[Sibling]) -> bool:
    """Whether a human named the request that this one deliberately repeats, with a reason in the note."""
    if intent.ask.duplicate_of is None:
        return False
    if intent.caller.credential.kind is not Kind.HUMAN:
        raise Forbidden("duplicate_needs_human", "Only a human may repeat a refund deliberately.")
    named = intent.ask.duplicate_of
    if named not in {one.id for one in siblings} and tx.request(tx.here.name, named) is None:
        raise NotFound("refund_request_not_found", "`duplicate_of` names no refund request.")
    if not intent.ask.note:
        raise Conflict("duplicate_needs_reason", "Say in the note why the refund is made a second time.")
    return True


def _request(
    tx: Transaction, intent: Intent, decision: Decision, around: Situation, ids: IdFactory
) -> RefundRequest:
    ask, credential = intent.ask, intent.caller.credential
    request_id = ids.new("rr")
    request = RefundRequest(
        environment=tx.here.name,
        id=request_id,
        operation_key=intent.key,
        fingerprint=intent.fingerprint,
        payment=ask.payment,
        amount_minor=decision.amount_minor,
        asked_amount_minor=decision.amount_minor,
        currency=ask.currency,
        reason=ask.reason,
        case=ask.case,
        note=ask.note,
        customer=around.facts.customer,
        account=around.facts.account,
        requested_by=credential.id,
        credentials=tuple(one.id for one in intent.caller.chain),
        agent=credential.agent,
        person=credential.owner,
        state=decision.state,
        hold=None if decision.state is State.DENIED else hold_of_request(request_id),
        created_at=tx.now,
        updated_at=tx.now,
        denial=decision.denial,
        next_action=decision.next_action,
        next_action_at=decision.next_action_at,
        duplicate_of=decision.duplicate_of or ask.duplicate_of,
        limits=shown_limits(decision.lines),
        rules=shown_firings(decision.rules),
        due_at=tx.now if decision.state is State.QUEUED else None,
        last_reason=decision.would_deny,
        unproven=() if decision.denial else _unproven(decision),
    )
    return _waiting(tx, request, decision, around) if decision.state is State.PENDING_APPROVAL else request


def _unproven(decision: Decision) -> tuple[str, ...]:
    """The limits under which an admission does not fit, and whether policy stops it: only observe mode admits there."""
    over = dict.fromkeys(line.charge.limit.id for line in decision.lines if not line.fits)
    permitted = any_amount(line.charge for line in decision.lines)
    refused = any(one.acts and one.effect is RuleEffect.DENY for one in decision.rules)
    undecided = decision.state is State.QUEUED and (refused or bool(decision.needs))
    return (*over, *(() if permitted else (ANY_AMOUNT_LIMIT,)), *((POLICY,) if undecided else ()))


def _waiting(tx: Transaction, request: RefundRequest, decision: Decision, around: Situation) -> RefundRequest:
    """The request as it waits for its approver, with exactly what they will be shown frozen into it."""
    time = timedelta(seconds=shortest(decision.needs, tx.here.approval_seconds))
    expires_at = tx.now + time
    shown = {
        "payment": request.payment,
        "amount": request.amount_minor,
        "asked_amount": request.asked_amount_minor,
        "currency": request.currency,
        "account": request.account,
        "reason": request.reason,
        "case": request.case,
        "note": request.note,
        "requested_by": request.requested_by,
        "agent": request.agent,
        "person": request.person,
        "held_by_limit": decision.approval_limit,
        "held_above": threshold_of(decision.approval_limit, decision.lines),
        "needs": [need.shown() for need in decision.needs],
        "rules": [one for one in request.rules if one["mode"] == RuleMode.ENFORCE],
        "limits": list(request.limits),
        "limits_revision": tx.here.limits_revision,
        **shown_facts(around.facts, around.book),
        "facts_read_at": spelled(around.facts.read_at),
        "expires_at": expires_at.isoformat(),
        CONVERSATION: [],
    }
    quorum = largest(decision.needs)
    return replace(
        request,
        expires_at=expires_at,
        expiring_at=expires_at - time / WARNED_BEFORE,
        quorum=quorum,
        hold_version=1,
        shown=shown,
    )
