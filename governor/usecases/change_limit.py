"""Limits under change: create, change a cap or threshold, archive. Nobody loses a hold by a change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

from governor.checkpoint import checkpoint
from governor.domain.credentials import Role
from governor.domain.errors import Invalid, invalid
from governor.domain.identity import canonical_case
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.money import EXPONENTS, MAX_CAP
from governor.domain.seen import AsSeen
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind, zone
from governor.ports.store import UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, rights
from governor.usecases.count_exposure import count_exposure
from governor.usecases.limit_series import (
    SAYING_NOTHING,
    Saying,
    archive,
    begin,
    current,
    existing,
    opens,
    propose_archiving,
    say,
    word,
)
from governor.usecases.operations import asked_of, earlier, remember
from governor.usecases.prove_capacity import wake_parked


@dataclass(frozen=True)
class LimitDraft:
    """What an operator asks for. `cap` and `approval_above` as the measure says: minor units or a number."""

    scope: Scope
    value: str | None
    measure: Measure
    currency: str | None
    window: WindowKind
    window_days: int | None
    time_zone: str
    cap: int
    approval_above: int | None


def checked(draft: LimitDraft) -> LimitDraft:
    """The draft in its one canonical form.

    Raises:
        Invalid: a combination that means nothing, or a value that names nothing.
    """
    if (draft.measure is Measure.AMOUNT) != (draft.currency is not None):
        raise invalid(
            "/currency", "currency_and_measure", "An amount limit has one currency, a count limit none."
        )
    if draft.currency is not None and draft.currency not in EXPONENTS:
        raise invalid("/currency", "currency_unknown", "The currency is not one that Stripe refunds in.")
    if not 0 <= draft.cap <= MAX_CAP:
        raise invalid("/cap", "cap_out_of_range", f"A cap is an integer from 0 to {MAX_CAP}.")
    if draft.approval_above is not None and (
        draft.measure is Measure.COUNT or not 0 <= draft.approval_above <= MAX_CAP
    ):
        raise invalid(
            "/approval_above",
            "approval_above_unfit",
            "Only an amount limit asks for approval above an amount.",
        )
    rolling = draft.window is WindowKind.ROLLING
    if rolling != (draft.window_days is not None) or not 1 <= (draft.window_days or 1) <= MAX_ROLLING_DAYS:
        raise invalid(
            "/window_days",
            "window_days_unfit",
            f"A rolling window has 1 to {MAX_ROLLING_DAYS} days, no other window has any.",
        )
    try:
        zone(draft.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise invalid("/time_zone", "time_zone_unknown", "The time zone is not an IANA name.") from None
    return replace(draft, value=_value(draft))


def _value(draft: LimitDraft) -> str | None:
    if draft.value is None:
        return None
    if draft.scope is Scope.ENVIRONMENT:
        raise invalid("/value", "value_unfit", "An environment limit has no value.")
    if draft.scope is Scope.CASE:
        try:
            return canonical_case(draft.value)
        except Invalid as error:
            raise invalid("/value", "value_malformed", error.detail) from None
    if not 1 <= len(draft.value) <= 128 or not draft.value.isascii() or not draft.value.isprintable():
        raise invalid("/value", "value_malformed", "A value is 1 to 128 printable ASCII characters.")
    return draft.value


@dataclass(frozen=True)
class ChangeLimit:
    """What operators do with limits; everybody else is refused with Forbidden `role_not_allowed`.

    Where the environment says `raises_need_two`, a raise is a proposal until another person confirms it
    (usecases/confirm_limit_change); whatever only tightens counts at once, everywhere.
    """

    store: UnitOfWork
    ids: IdFactory

    def create(self, caller: Caller, draft: LimitDraft, key: str, reason: str = "") -> tuple[Limit, bool]:
        """A new limit that counts the exposure that already exists (invariant 12); True when replayed.

        One that permits what none permits yet begins at zero where raises need two, and its cap is a raise.

        Raises:
            Invalid: about the draft, or `/reason`.
        """
        draft = checked(draft)
        asked = asked_of(draft) | ({"reason": reason} if reason else {})
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            known = earlier(tx, "limit", key, asked)
            if known is not None:
                return existing(tx, known), True
            word(tx, caller, reason)
            wanted = Limit(id=self.ids.new("lim"), revision=1, archived=False, **vars(draft))
            waits = tx.here.raises_need_two and opens(tx, wanted)
            begin(tx, caller, replace(wanted, cap=0) if waits else wanted, self.ids.new("chg"), reason)
            limit = existing(tx, wanted.id)
            count_exposure(tx, limit)
            wake_parked(tx)
            checkpoint("limit.counted")
            if waits:
                say(tx, caller, limit, wanted, Saying(reason), self.ids.new("chg"))
            remember(tx, "limit", key, asked, limit.id)
            return existing(tx, limit.id), False

    def update(
        self, caller: Caller, limit_id: str, draft: LimitDraft, seen: AsSeen, said: Saying = SAYING_NOTHING
    ) -> Limit:
        """Change cap and threshold; usage stays. What a limit counts cannot change: that is another limit.

        Returns the limit as it stands then: a change to come, or one that waits for a second person, is not in it yet.

        Raises:
            NotFound; PreconditionFailed: `revision_stale`; Invalid.
            Conflict: `too_many_changes`.
        """
        draft = checked(draft)
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            limit = current(tx, limit_id, seen)
            wanted = replace(limit, cap=draft.cap, approval_above=draft.approval_above)
            if _facts(draft) != _facts(wanted):
                raise Invalid(
                    "limit_identity", "Scope, value, measure, currency, window and zone of a limit stay."
                )
            say(tx, caller, limit, wanted, said, self.ids.new("chg"))
            return existing(tx, limit_id)

    def archive(self, caller: Caller, limit_id: str, seen: AsSeen, reason: str = "") -> Limit:
        """It binds no new request; existing holds still settle in its counters.

        Raises:
            NotFound; PreconditionFailed; Invalid: `/reason`.
        """
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            limit, who = current(tx, limit_id, seen), word(tx, caller, reason)
            if not tx.here.raises_need_two:
                return archive(tx, caller, limit, who, self.ids.new("chg"))
            propose_archiving(tx, caller, limit, who, self.ids.new("chg"))
            return existing(tx, limit_id)


def _facts(limit: LimitDraft | Limit) -> dict[str, Any]:
    return {name: getattr(limit, name) for name in LimitDraft.__dataclass_fields__}
