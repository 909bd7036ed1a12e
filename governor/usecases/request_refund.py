"""Requesting a refund: the story of the main job, up to the durable decision.

validated ask → known key? → payment facts → one shared transaction: claim, guard, reserve or deny, record.
What happens next is told by workers/relay, workers/jobs and usecases/dispatch_refund.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from governor.domain.admission import Ask, Decision, decide
from governor.domain.errors import GovernorError, Unavailable
from governor.domain.payments import refuse_unfit
from governor.ports.store import UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.admission_board import Intent, read_board
from governor.usecases.admit import admit_all, situate
from governor.usecases.callers import Caller
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.replay import Answer, fingerprint, replay
from governor.usecases.together import Together


@dataclass(frozen=True)
class BatchLine:
    """One line of a batch: its own key, its own decision."""

    key: str
    ask: Ask
    expected_refundable: int | None


class RequestRefund:
    """Decide refund requests, durably, together with whoever else asks at this moment."""

    def __init__(self, store: UnitOfWork, facts: ReadPaymentFacts, ids: IdFactory) -> None:
        self._store = store
        self._facts = facts
        self._ids = ids
        self._together: Together[Intent, Answer] = Together(self._decide_all)

    def __call__(self, caller: Caller, ask: Ask, key: str, expected_refundable: int | None) -> Answer:
        """The decision on `ask`, recorded under `key`; a repeat of the key is replayed.

        Raises:
            Invalid: `idempotency_key_reused`. Conflict, NotFound, Forbidden: the facts do not fit.
            Unavailable: nothing was decided; the same key may be used again.
        """
        asked = fingerprint(ask, expected_refundable)
        known = self._known(caller, key, asked)
        if known is not None:
            return known
        facts = self._facts.for_key(caller.environment, ask.payment, key)
        refuse_unfit(facts, ask.currency)
        intent = Intent(caller, ask, key, asked, facts, expected_refundable)
        try:
            return self._together.decide(caller.environment, intent)
        except Unavailable:
            # The commit's acknowledgement may be what was lost: do not guess, look.
            known = self._known(caller, key, asked)
            if known is None:
                raise
            return Answer(known.request, replayed=False)

    def batch(self, caller: Caller, lines: Sequence[BatchLine]) -> list[Answer | GovernorError]:
        """Decide many lines of one caller, each under its own key, in one transaction."""
        prepared = [self._prepared(caller, line) for line in lines]
        intents = [one for one in prepared if isinstance(one, Intent)]
        decided = iter(self._decide_all(caller.environment, intents) if intents else ())
        return [next(decided) if isinstance(one, Intent) else one for one in prepared]

    def _prepared(self, caller: Caller, line: BatchLine) -> Intent | Answer | GovernorError:
        try:
            asked = fingerprint(line.ask, line.expected_refundable)
            known = self._known(caller, line.key, asked)
            if known is not None:
                return known
            facts = self._facts.for_key(caller.environment, line.ask.payment, line.key)
            refuse_unfit(facts, line.ask.currency)
        except GovernorError as refusal:
            return refusal
        return Intent(caller, line.ask, line.key, asked, facts, line.expected_refundable)

    def preview(self, caller: Caller, ask: Ask, expected_refundable: int | None) -> Decision:
        """The verdict that `ask` would get now. Nothing is booked and nothing is promised."""
        facts = self._facts(caller.environment, ask.payment)
        intent = Intent(caller, ask, "", "", facts, expected_refundable)
        with self._store.environment(caller.environment) as tx:
            amount, situation = situate(tx, read_board(tx, [intent]), intent)
        return decide(ask, amount, situation)

    def _known(self, caller: Caller, key: str, asked: str) -> Answer | None:
        with self._store.reading() as reads:
            known = reads.request_by_key(caller.environment, key)
        return replay(known, asked) if known is not None else None

    def _decide_all(self, environment: str, intents: Sequence[Intent]) -> list[Answer | GovernorError]:
        with self._store.environment(environment) as tx:
            return admit_all(tx, intents, self._ids)
