"""Approval rules: when a refund waits for people or is refused, whatever room the limits have.

A rule is data: conditions that must all hold, and what follows. Every rule is looked at, and the strictest wins
(deny, then approval, then allow), so that their order means nothing and no rule can take back what another asks.
A condition of which nobody knows whether it holds asks for approval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from governor.domain.credentials import Kind
from governor.domain.limits import NO_CAP, Limit, Measure, Scope
from governor.domain.windows import WindowKind, zone

MOST_RULES = 50
"""How many rules are in force at most: every admission looks at all of them."""

NOT_GIVEN = "not_given"
"""The reason of a request that gives none: known, and a rule may name it."""


class RuleEffect(StrEnum):
    """What follows when a rule fires, the strictest last. `allow` asks nobody: it says what is expected, and is counted."""

    ALLOW = "allow"
    APPROVAL = "approval"
    DENY = "deny"


class RuleMode(StrEnum):
    """A rule in `dry_run` is recorded where it would have fired, and not acted on."""

    ENFORCE = "enforce"
    DRY_RUN = "dry_run"


class Weekday(StrEnum):
    """A day of the week, Monday first."""

    MON = "mon"
    TUE = "tue"
    WED = "wed"
    THU = "thu"
    FRI = "fri"
    SAT = "sat"
    SUN = "sun"


@dataclass(frozen=True)
class Hours:
    """Some hours of some days, by the clock on the wall in a zone.

    From `begins` until just before `ends`; one that ends earlier than it begins ends on the next day, and belongs to
    the day on which it began.
    """

    begins: time
    ends: time
    weekdays: tuple[Weekday, ...]
    time_zone: str

    def has(self, now: datetime) -> bool:
        """Whether `now` (UTC) is within them."""
        local = now.astimezone(zone(self.time_zone))
        at, today = local.time(), local.date()
        if self.begins < self.ends:
            return self.begins <= at < self.ends and self._is_on(today)
        since_yesterday = at < self.ends and self._is_on(today - timedelta(days=1))
        return since_yesterday or (at >= self.begins and self._is_on(today))

    def _is_on(self, day: date) -> bool:
        return tuple(Weekday)[day.weekday()] in self.weekdays


@dataclass(frozen=True)
class Cumulative:
    """What adds up to `at_least`, this request counted: minor units or requests, as the measure says.

    Counted like a limit, in a *tally*: one that has no cap. So whatever is held, settled and given back counts as it
    does for limits, and looking costs the same however long the past is.
    """

    scope: Scope
    measure: Measure
    window: WindowKind
    window_days: int | None
    time_zone: str
    at_least: int


@dataclass(frozen=True)
class Conditions:
    """When a rule fires: all of those that are given hold. Amounts in minor units of `currency`; none: always."""

    currency: str | None = None
    amount_at_least: int | None = None
    reasons: tuple[str, ...] = ()
    payment_days_at_least: int | None = None
    """Whole days of 24 hours since the payment was made."""
    requester: Kind | None = None
    first_refund: bool | None = None
    """Whether the customer has had no refund before, by us or elsewhere."""
    hours: Hours | None = None
    cumulative: Cumulative | None = None


@dataclass(frozen=True)
class Consequence:
    """What follows. For an approval: how many people, of whom, and how long they have."""

    effect: RuleEffect
    quorum: int = 0
    approvers: tuple[str, ...] | None = None
    """The people (owners of credentials) who may decide; None: every approver."""
    expires_seconds: int | None = None


@dataclass(frozen=True)
class Rule:
    """One revision of a rule. `tally` is the limit without a cap that its cumulative condition reads."""

    id: str
    revision: int
    name: str
    mode: RuleMode
    starts_at: datetime | None
    when: Conditions
    then: Consequence
    tally: str | None = None
    archived: bool = False

    def is_in_force(self, now: datetime) -> bool:
        """Whether it is looked at."""
        return not self.archived and (self.starts_at is None or self.starts_at <= now)


def tally_of(rule: Rule, tally: str) -> Limit | None:
    """What counts for a rule's cumulative condition, under the id `tally`; None when it has none."""
    asked = rule.when.cumulative
    if asked is None:
        return None
    return Limit(
        id=tally,
        scope=asked.scope,
        value=None,
        measure=asked.measure,
        currency=rule.when.currency if asked.measure is Measure.AMOUNT else None,
        window=asked.window,
        window_days=asked.window_days,
        time_zone=asked.time_zone,
        cap=NO_CAP,
        approval_above=None,
        revision=1,
        tally=True,
    )


def same_count(one: Limit, other: Limit) -> bool:
    """Whether two tallies count the same, so that one of them is enough."""
    return replace(one, id=other.id, revision=other.revision) == other
