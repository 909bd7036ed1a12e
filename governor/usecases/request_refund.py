"""Requesting a refund: the story of the main job, up to the durable decision.

validated ask → one shared transaction: known key? young facts? → reserve or deny, record. When the payment's
facts are not known, they are read from the provider with no transaction open, and it is decided once more.
What happens next is told by workers/relay, workers/jobs and usecases/dispatch_refund.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from governor.checkpoint import checkpoint
from governor.domain.admission import Ask, Decision, decide
from governor.domain.errors import GovernorError, InvariantBroken, Unconfirmed
from governor.ports.store import UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.admission_board import FactsNeeded, Intent, read_board
from governor.usecases.admit import admit_all, refuse_requester, situate
from governor.usecases.callers import Caller
from governor.usecases.expire_holds import expire_due
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.replay import Answer, fingerprint, replay
from governor.usecases.see_refunds import see_payments
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
        self._together: Together[Intent, Answer | FactsNeeded] = Together(self._decide_waiting)

    def __call__(self, caller: Caller, ask: Ask, key: str, expected_refundable: int | None) -> Answer:
        """The decision on `ask`, recorded under `key`; a repeat of the key is replayed.

        Raises:
            Invalid: `idempotency_key_reused`. Conflict, NotFound, Forbidden: the facts do not fit.
            Unavailable: nothing was decided; the same key may be used again.
        """
        intent = Intent(caller, ask, key, fingerprint(ask, expected_refundable), expected_refundable)
        answer = self._decide(intent)
        if isinstance(answer, FactsNeeded):
            facts = self._facts.read_for(caller.environment, ask.payment, key)
            checkpoint("admit.facts_read")
            answer = self._decide(replace(intent, facts=facts))
        return _final(answer)

    def _decide(self, intent: Intent) -> Answer | FactsNeeded:
        checkpoint("admit.queued")
        try:
            return self._together.decide(intent.caller.environment, intent)
        except Unconfirmed:
            # Do not guess, look: in a transaction, whose own commit confirms all that was committed before it.
            with self._store.environment(intent.caller.environment) as tx:
                known = tx.request_by_key(intent.caller.environment, intent.key)
            if known is None:
                raise
            return replace(replay(known, intent.fingerprint), replayed=False)

    def batch(self, caller: Caller, lines: Sequence[BatchLine]) -> list[Answer | GovernorError]:
        """Decide many lines of one caller, each under its own key, in at most two transactions."""
        intents = [
            Intent(
                caller,
                line.ask,
                line.key,
                fingerprint(line.ask, line.expected_refundable),
                line.expected_refundable,
            )
            for line in lines
        ]
        answers = self._decide_all(caller.environment, intents)
        again: dict[int, Intent] = {}
        for n, (intent, answer) in enumerate(zip(intents, answers, strict=True)):
            if isinstance(answer, FactsNeeded):
                try:
                    facts = self._facts.read_for(caller.environment, intent.ask.payment, intent.key)
                    again[n] = replace(intent, facts=facts)
                except GovernorError as refusal:
                    answers[n] = refusal
        if again:
            for n, answer in zip(
                again, self._decide_all(caller.environment, list(again.values())), strict=True
            ):
                answers[n] = answer
        return [answer if isinstance(answer, GovernorError) else _final(answer) for answer in answers]

    def preview(self, caller: Caller, ask: Ask, expected_refundable: int | None) -> Decision:
        """The verdict that `ask` would get now. Nothing is booked for it and nothing is promised.

        What time and the provider have decided is booked on the way: an expired hold is in nobody's way here either,
        and what was refunded elsewhere takes room.
        """
        facts = self._facts(caller.environment, ask.payment)
        intent = Intent(caller, ask, "", "", expected_refundable, facts)
        with self._store.environment(caller.environment) as tx:
            expire_due(tx)
            if see_payments(tx, [facts]):
                tx.flush()
            board = read_board(tx, [intent], self._facts.max_age)
            refuse_requester(tx, board, intent)
            amount, situation = situate(tx, board, intent)
        return decide(ask, amount, situation)

    def _decide_all(
        self, environment: str, intents: Sequence[Intent]
    ) -> list[Answer | FactsNeeded | GovernorError]:
        return self._decide_waiting(environment, lambda: intents)

    def _decide_waiting(
        self, environment: str, waiting: Callable[[], Sequence[Intent]]
    ) -> list[Answer | FactsNeeded | GovernorError]:
        """One transaction for all who wait once it has joined the environment's line."""
        with self._store.environment(environment) as tx:
            checkpoint("admit.tx_begun")
            answers = admit_all(tx, waiting(), self._ids, self._facts.max_age)
        checkpoint("admit.committed")
        return answers


def _final(answer: Answer | FactsNeeded) -> Answer:
    """An intent that brought its facts along is always decided."""
    if isinstance(answer, FactsNeeded):
        raise InvariantBroken("undecided", "facts were at hand and nothing was decided")
    return answer
