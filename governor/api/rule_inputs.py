"""What callers may send about approval rules."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, StringConstraints

from governor.api.inputs import Input, Instant, Word
from governor.domain.credentials import Kind
from governor.domain.limits import Measure, Scope
from governor.domain.money import MAX_CAP, MAX_MINOR
from governor.domain.quorum import MOST_PEOPLE
from governor.domain.rule_form import then_from, when_from
from governor.domain.rules import RuleEffect, RuleMode, Weekday
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind
from governor.usecases.rule_drafts import (
    LONGEST_EXPIRY,
    MOST_DAYS,
    MOST_NAMED,
    SHORTEST_EXPIRY,
    RuleDraft,
)

ClockTime = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
EVERY_DAY = tuple(Weekday)


class HoursIn(Input):
    """Some hours of some days by the clock in a zone; hours that end before they begin end on the next day."""

    begins: ClockTime
    ends: ClockTime
    weekdays: Annotated[tuple[Weekday, ...], Field(min_length=1, max_length=7)] = EVERY_DAY
    time_zone: Word = "UTC"


class CumulativeIn(Input):
    """What adds up to `at_least`, this request counted, of one value of the scope within the window."""

    scope: Scope
    measure: Measure
    window: WindowKind
    window_days: Annotated[StrictInt, Field(ge=1, le=MAX_ROLLING_DAYS)] | None = None
    time_zone: Word = "UTC"
    at_least: Annotated[StrictInt, Field(ge=1, le=MAX_CAP)]


class ConditionsIn(Input):
    """All that are given must hold; with none the rule fires for every request. Amounts in minor units of `currency`.

    `payment_days_at_least`: whole days since the payment. `first_refund`: whether the customer had none before.
    """

    currency: str | None = None
    amount_at_least: Annotated[StrictInt, Field(ge=1, le=MAX_MINOR)] | None = None
    reasons: Annotated[
        tuple[Literal["duplicate", "fraudulent", "requested_by_customer", "not_given"], ...],
        Field(max_length=4),
    ] = ()
    payment_days_at_least: Annotated[StrictInt, Field(ge=0, le=MOST_DAYS)] | None = None
    requester: Kind | None = None
    first_refund: StrictBool | None = None
    hours: HoursIn | None = None
    cumulative: CumulativeIn | None = None


class ConsequenceIn(Input):
    """What follows. For an approval: `quorum` different people (1 when left out), of `approvers` (null: of all).

    `expires_seconds` is how long they have; left out: as long as the environment gives them.
    """

    effect: RuleEffect
    quorum: Annotated[StrictInt, Field(ge=1, le=MOST_PEOPLE)] | None = None
    approvers: Annotated[tuple[Word, ...], Field(min_length=1, max_length=MOST_NAMED)] | None = None
    expires_seconds: Annotated[StrictInt, Field(ge=SHORTEST_EXPIRY, le=LONGEST_EXPIRY)] | None = None


class RuleIn(Input):
    """An approval rule. `dry_run` records where it would have fired, and acts on nothing; `starts_at`: not before."""

    name: Word
    mode: RuleMode = RuleMode.ENFORCE
    starts_at: Instant | None = None
    when: ConditionsIn
    then: ConsequenceIn

    def draft(self) -> RuleDraft:
        """What is asked for."""
        when = when_from(self.when.model_dump())
        then = then_from(self.then.model_dump())
        return RuleDraft(self.name, self.mode, self.starts_at, when, then)
