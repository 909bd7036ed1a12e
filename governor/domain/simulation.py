"""What another policy would have made of the past: counts, sums, what would have changed, and examples of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from governor.domain.admission import Decision
from governor.domain.replay_of_past import PastRefund, Verdict, verdict_of
from governor.domain.requests import shown_limits
from governor.domain.rule_words import shown_firings

MOST_EXAMPLES = 20
"""How many changes are told one by one: enough to see what kind they are."""


@dataclass
class Heap:
    """So many refunds, and how much they are: minor units by currency."""

    count: int = 0
    sums: Counter[str] = field(default_factory=Counter)

    def add(self, past: PastRefund) -> None:
        """One more."""
        self.count += 1
        self.sums[past.currency] += past.amount_minor


@dataclass(frozen=True)
class Example:
    """One refund of which the policy says something else than was said then, with all that it looked at."""

    past: PastRefund
    before: Verdict
    after: Verdict
    decision: Decision

    @property
    def why(self) -> dict[str, Any]:
        """The limits without room or that ask, and the rules that fired."""
        asking = [line for line in self.decision.lines if not line.fits or line.asks_approval]
        denial = self.decision.denial
        return {
            "denial": None if denial is None else denial.value,
            "limits": list(shown_limits(tuple(asking))),
            "rules": list(shown_firings(self.decision.rules)),
        }


@dataclass
class Simulation:
    """The report. `days` has a row for each day (UTC) on which anything was asked, oldest first.

    `elsewhere` are refunds that nobody asked for: they only take room. `set_aside` are requests that the payment
    itself could not give, whatever the policy. `is_whole` false: the past reaches further back than was read.
    """

    since: datetime | None = None
    until: datetime | None = None
    asked: int = 0
    elsewhere: int = 0
    set_aside: int = 0
    is_whole: bool = True
    before: Mapping[Verdict, Heap] = field(default_factory=lambda: {one: Heap() for one in Verdict})
    after: Mapping[Verdict, Heap] = field(default_factory=lambda: {one: Heap() for one in Verdict})
    changes: dict[tuple[Verdict, Verdict], Heap] = field(default_factory=lambda: defaultdict(Heap))
    fired: Counter[str] = field(default_factory=Counter)
    """How often each rule fired, by its name; one in dry run too."""
    days: dict[date, dict[str, Counter[Verdict]]] = field(default_factory=dict)
    examples: list[Example] = field(default_factory=list)

    def add(self, past: PastRefund, decision: Decision | None) -> None:
        """One refund more, in the order of time."""
        self.since = self.since or past.at
        self.until = past.at
        if past.verdict is None or decision is None:
            self.elsewhere += 1
            return
        before, after = past.verdict, verdict_of(decision)
        self.asked += 1
        self.before[before].add(past)
        self.after[after].add(past)
        self.fired.update(one.rule.name for one in decision.rules)
        day = self.days.setdefault(past.at.astimezone(UTC).date(), {"before": Counter(), "after": Counter()})
        day["before"][before] += 1
        day["after"][after] += 1
        if before is not after:
            self.changes[before, after].add(past)
            self._keep(Example(past, before, after, decision))

    def _keep(self, example: Example) -> None:
        """The first few of each kind of change, so that a frequent one does not hide a rare one."""
        kinds = len(Verdict) * (len(Verdict) - 1)
        alike = sum((one.before, one.after) == (example.before, example.after) for one in self.examples)
        if alike < MOST_EXAMPLES // kinds or (alike < MOST_EXAMPLES and len(self.changes) == 1):
            self.examples.append(example)
        del self.examples[MOST_EXAMPLES:]
