"""Deliberate bugs (RELIABILITY §2.7): each breaks the real code in one place, and must be found.

(4), any rejection releases, is left to the exhaustive search (tests/properties/search.py): random orders did not find
it in 2,400 seeds. python -m tests.sim.canaries: how many seeds each lives for
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

import pytest

from adapters.memory.collecting import CollectingTransaction
from adapters.memory.reads import MemoryReads
from adapters.memory.transaction import MemoryTransaction
from governor.domain import recovery
from governor.domain.approval import ApprovalHold, Ballot, refuse_vote
from governor.domain.evidence import Evidence, Expected, Proof, Source, fold
from governor.domain.lifecycle import Event, State
from governor.domain.outcome import Outcome
from governor.domain.requests import RefundRequest
from governor.ports.provider import RefundOrder
from governor.ports.records import AtTheGate, RecordedEvidence
from governor.sim.run import live
from governor.usecases.admission_board import read_board
from governor.usecases.admit import admit_all
from governor.usecases.apply_evidence import apply_evidence
from governor.usecases.recover_refund import RecoverRefund
from governor.usecases.request_refund import RequestRefund

Break = Callable[[pytest.MonkeyPatch], None]
REFUSED = Proof(Event.PROVE_REJECTED, 0, None, overrun=False, inconsistent=False)
FAR = timedelta(days=400)
_USECASES = "governor.usecases"


def _folding(monkeypatch: pytest.MonkeyPatch, proves: Callable[[int, Collection[Evidence]], bool]) -> None:
    """What `proves` says is taken for the proof that nothing left, unless a refund is known."""

    def broken(expected: Expected, attempts: int, evidence: Collection[Evidence]) -> Proof:
        known = any(one.refund for one in evidence)
        return REFUSED if not known and proves(attempts, evidence) else fold(expected, attempts, evidence)

    monkeypatch.setattr(f"{_USECASES}.apply_evidence.fold", broken)


def release_on_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """(1) A timeout is taken for a failure."""
    _folding(monkeypatch, lambda _, known: any(one.outcome is Outcome.UNKNOWN for one in known))


def new_key_per_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """(2) Each attempt carries a key of its own."""

    real = RefundOrder.of

    def numbered(request: RefundRequest) -> RefundOrder:
        order = real(request)
        return replace(order, idempotency_key=f"{order.idempotency_key}-{request.attempts}")

    monkeypatch.setattr(RefundOrder, "of", staticmethod(numbered))


def check_then_act(monkeypatch: pytest.MonkeyPatch) -> None:
    """(3) What is taken of the limits is read in one transaction and trusted in the next."""

    def decide_waiting(self: Any, environment: str, waiting: Callable[[], Any]) -> Any:
        intents = waiting()
        with self._store.environment(environment) as tx:
            seen = read_board(tx, intents, self._facts.max_age).usage
        with self._store.environment(environment) as tx:
            now = tx.usage
            tx.usage = lambda env, charges: {
                key: seen.get(key, usage) for key, usage in now(env, charges).items()
            }
            return admit_all(tx, intents, self._ids, self._facts.max_age)

    monkeypatch.setattr(RequestRefund, "_decide_waiting", decide_waiting)


def rejection_of_the_first_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """(5) Attempt 1 was proven not executed, and attempt 2 is forgotten."""

    def first(attempts: int, known: Collection[Evidence]) -> bool:
        disproved = {Outcome.REJECTED, Outcome.NOT_EXECUTED}
        return attempts > 1 and any(one.attempt == 1 and one.outcome in disproved for one in known)

    _folding(monkeypatch, first)


def absent_read_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """(6) A list without our refund is taken for the proof that there will be none."""

    def read(self: Any, request: RefundRequest) -> None:
        if self.provider.list_refunds(request.payment):
            return
        with self.store.environment(request.environment) as tx:
            absent = Evidence(Source.READ, Outcome.REJECTED, kept=True)
            recorded = RecordedEvidence(absent, "absent", None, None, tx.now)
            apply_evidence(tx, request.id, recorded)

    monkeypatch.setattr(RecoverRefund, "_read", read)


def old_key_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """(7) The age of a key does not matter."""
    monkeypatch.setattr("governor.domain.recovery.KEY_LIFE", FAR)


def settled_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """(8) A refund that is seen again is counted again."""
    real = MemoryTransaction.carry

    def carry(self: MemoryTransaction, before: RefundRequest, after: RefundRequest) -> None:
        again = before.state is after.state is State.SUCCEEDED
        real(self, replace(before, moved_minor=0) if again else before, after)

    monkeypatch.setattr(MemoryTransaction, "carry", carry)


def released_in_todays_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """(9) What a hold gives back is given back to the newest counter of its limit, not to its own."""
    real = CollectingTransaction._count

    def count(self: CollectingTransaction, number: int, *, reserved: int, settled: int) -> None:
        if reserved < 0:
            key = self._tables.counters[number].key
            same = [
                other
                for other, one in self._tables.counters.items()
                if (one.key.limit, one.key.value) == (key.limit, key.value) and one.reserved + reserved >= 0
            ]
            number = max(same, key=lambda other: self._tables.counters[other].key.window_start)
        real(self, number, reserved=reserved, settled=settled)

    monkeypatch.setattr(CollectingTransaction, "_count", count)


def approved_after_expiry(monkeypatch: pytest.MonkeyPatch) -> None:
    """(10) A vote counts as long as nobody has booked the expiry."""

    def late_vote(hold: ApprovalHold, ballot: Ballot, person: str, now: datetime, earlier: Any) -> None:
        refuse_vote(hold, ballot, person, min(now, hold.expires_at - timedelta(seconds=1)), earlier)

    monkeypatch.setattr(f"{_USECASES}.decide_hold.refuse_vote", late_vote)


def stop_not_checked_on_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """(11) A stopped environment stops first attempts only."""

    def go_on(request: RefundRequest, now: datetime, **_stopped: bool) -> recovery.Look:
        return recovery.look(request, now, stopped=False)

    monkeypatch.setattr(f"{_USECASES}.recover_refund.look", go_on)
    real = MemoryReads.at_the_gate

    def at_the_gate(self: MemoryReads, environment: str, request_id: str, credential_id: str) -> AtTheGate:
        gate = real(self, environment, request_id, credential_id)
        if gate.request is None or gate.environment is None or gate.request.attempts == 1:
            return gate
        goes_on = replace(gate.environment, frozen_reason=None, paused_reason=None, halted_reason=None)
        return replace(gate, environment=goes_on, freezes=())

    monkeypatch.setattr(MemoryReads, "at_the_gate", at_the_gate)


def new_limit_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """(12) A new limit begins at zero."""
    monkeypatch.setattr(f"{_USECASES}.change_limit.count_exposure", lambda _tx, _limit: None)


def late_limit_asks_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """(13) A new limit lets through whatever waits."""
    monkeypatch.setattr(f"{_USECASES}.count_exposure.over", lambda _charge, _usage: False)


@dataclass(frozen=True)
class Canary:
    """One bug, the promises whose breaking gives it away, and within how many seeds it must be found."""

    break_it: Break
    promises: frozenset[str]
    budget: int


def _canary(break_it: Break, promises: str, budget: int) -> tuple[str, Canary]:
    return break_it.__name__, Canary(break_it, frozenset(promises.split()), budget)


CANARIES = dict(
    [
        _canary(release_on_timeout, "money_gone_capacity_free", 200),
        _canary(new_key_per_attempt, "identity_changed", 100),
        _canary(check_then_act, "over_the_cap", 500),
        _canary(rejection_of_the_first_releases, "money_gone_capacity_free", 1200),
        _canary(absent_read_releases, "money_gone_capacity_free", 800),
        _canary(old_key_is_replayed, "old_key_sent", 800),
        _canary(settled_twice, "wrong_payment", 400),
        _canary(released_in_todays_window, "wrong_counter", 200),
        _canary(approved_after_expiry, "approved_after_expiry", 400),
        _canary(stop_not_checked_on_replay, "sent_while_stopped", 1000),
        _canary(new_limit_counts_nothing, "wrong_counter sent_without_hold", 200),
        _canary(late_limit_asks_no_proof, "sent_without_proof", 400),
    ]
)


@contextmanager
def broken(canary: Canary) -> Iterator[None]:
    """The code with this bug in it."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        canary.break_it(monkeypatch)
        yield


@dataclass(frozen=True)
class Found:
    """The first seed in which something went wrong: what, and how many seeds that took."""

    promise: str | None
    seeds: int


def hunt(canary: Canary, first_seed: int = 0) -> Found:
    """Run seeds until something goes wrong, within the budget."""
    with broken(canary):
        for number in range(canary.budget):
            violation = live(first_seed + number).violation
            if violation is not None:
                return Found(violation.promise, number + 1)
    return Found(None, canary.budget)


def main() -> None:
    """Tell how long each bug lives."""
    for name, canary in CANARIES.items():
        started = perf_counter()
        found = hunt(canary)
        print(f"{name}: {found.promise} after {found.seeds} seeds, {perf_counter() - started:.1f} s")  # noqa: T201  a command's output


if __name__ == "__main__":
    main()
