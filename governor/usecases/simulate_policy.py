"""Trying a policy on the past: what other limits and rules would have made of it. Reads only, and is bounded.

The counters begin empty at the first refund that is read: what was made before the period is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from governor.domain.errors import Invalid, invalid
from governor.domain.limits import Limit
from governor.domain.replay_of_past import PastRefund, Replayed
from governor.domain.rules import MOST_RULES, Rule, tally_of
from governor.domain.simulation import Simulation
from governor.ports.past import Past, PastRead
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.change_limit import LimitDraft, checked
from governor.usecases.rule_drafts import RuleDraft

USUAL_DAYS: Final = 30
MOST_DAYS: Final = 90
MOST_REPLAYED: Final = 10_000
"""How many refunds are replayed while somebody waits: a few seconds of one core."""
MOST_ON_THE_HOST: Final = 200_000
MOST_LIMITS: Final = 100
STEP: Final = 500
"""After how many refunds it is said how far the replay is."""

Went = Callable[[int, int], None]
"""Hears how many refunds were replayed, of how many."""


def _nobody_hears(done: int, total: int) -> None:
    """Whoever waits sees the end."""


def check_days(days: object) -> None:
    """Refuse a period that is no number of days, or too long a one.

    Raises:
        Invalid: about `/days`.
    """
    if type(days) is not int or not 1 <= days <= MOST_DAYS:
        raise invalid("/days", "days_out_of_range", f"1 to {MOST_DAYS} days are replayed.")


@dataclass(frozen=True)
class ProposedPolicy:
    """Limits and rules to try; None: those in force."""

    limits: tuple[LimitDraft, ...] | None = None
    rules: tuple[RuleDraft, ...] | None = None

    def check(self) -> None:
        """Refuse what could not be in force.

        Raises:
            Invalid: with the field.
        """
        for name, drafts, most in (("limits", self.limits, MOST_LIMITS), ("rules", self.rules, MOST_RULES)):
            if len(drafts or ()) > most:
                raise invalid(f"/{name}", "too_many", f"{most} {name} are tried at most.")
        _limits(self.limits or ())
        for number, draft in enumerate(self.rules or ()):
            try:
                draft.check()
            except Invalid as error:
                raise _within(f"/rules/{number}", error) from None


@dataclass(frozen=True)
class SimulatePolicy:
    """What a policy would have made of the past of the caller's environment, or of an uploaded one."""

    store: UnitOfWork
    past: Past

    def replay(
        self,
        caller: Caller,
        proposed: ProposedPolicy,
        days: int,
        *,
        at_most: int = MOST_REPLAYED,
        went: Went = _nobody_hears,
    ) -> Simulation:
        """The last `days` of requests and refunds made elsewhere, the newest `at_most` of them.

        Raises:
            Invalid: the days, or a draft that means nothing.
        """
        check_days(days)
        policy = self._policy(caller, proposed)
        since = self.store.now() - timedelta(days=days)
        read = self.past.refunds(caller.environment, since, at_most=at_most)
        return self._replayed(caller, policy, read, went)

    def replay_uploaded(
        self, caller: Caller, proposed: ProposedPolicy, refunds: Sequence[PastRefund]
    ) -> Simulation:
        """Refunds of a file, all of which went through, oldest first.

        Raises:
            Invalid: a draft that means nothing.
        """
        read = PastRead(tuple(refunds), set_aside=0, is_whole=True)
        return self._replayed(caller, self._policy(caller, proposed), read, _nobody_hears)

    def _policy(self, caller: Caller, proposed: ProposedPolicy) -> tuple[tuple[Limit, ...], tuple[Rule, ...]]:
        proposed.check()
        with self.store.reading() as reads:
            limits = reads.limits(caller.environment) if proposed.limits is None else _limits(proposed.limits)
            rules = reads.rules(caller.environment) if proposed.rules is None else _rules(proposed.rules)
        # A tally of its own for each: it counts what is replayed, not what is there.
        named = [replace(rule, starts_at=None, tally=f"tally of {rule.id}") for rule in rules]
        tallies = [tally for rule in named if (tally := tally_of(rule, rule.tally or "")) is not None]
        return (*limits, *tallies), tuple(named)

    def _replayed(
        self, caller: Caller, policy: tuple[tuple[Limit, ...], tuple[Rule, ...]], read: PastRead, went: Went
    ) -> Simulation:
        limits, rules = policy
        report = Simulation(set_aside=read.set_aside, is_whole=read.is_whole)
        replayed = Replayed(caller.environment, limits, rules, self._refunded(caller, rules, read.refunds))
        for number, past in enumerate(read.refunds):
            if number % STEP == 0:
                went(number, len(read.refunds))
            report.add(past, replayed.next(past))
        return report

    def _refunded(self, caller: Caller, rules: Sequence[Rule], refunds: Sequence[PastRefund]) -> set[str]:
        """Who had a refund before the first of these; looked up only when a rule asks."""
        if not refunds or all(rule.when.first_refund is None for rule in rules):
            return set()
        customers = {past.customer for past in refunds if past.customer is not None}
        return set(self.past.refunded_before(caller.environment, customers, refunds[0].at))


def _limits(drafts: Sequence[LimitDraft]) -> tuple[Limit, ...]:
    made = []
    for number, draft in enumerate(drafts):
        try:
            limit = checked(draft)
        except Invalid as error:
            raise _within(f"/limits/{number}", error) from None
        made.append(Limit(id=f"proposed limit {number + 1}", revision=1, **vars(limit)))
    return tuple(made)


def _rules(drafts: Sequence[RuleDraft]) -> tuple[Rule, ...]:
    return tuple(
        Rule(id=f"proposed rule {number:02d}", revision=1, **vars(draft))
        for number, draft in enumerate(drafts, start=1)
    )


def _within(pointer: str, error: Invalid) -> Invalid:
    """The same refusal, of a part of what was sent."""
    errors = tuple(replace(one, pointer=f"{pointer}{one.pointer}") for one in error.errors)
    return Invalid(error.code, error.detail, errors=errors)
