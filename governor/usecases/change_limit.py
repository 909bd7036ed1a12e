"""Limits under change: create, change a cap or threshold, archive. Nobody loses a hold by a change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

from governor.checkpoint import checkpoint
from governor.domain.credentials import Role
from governor.domain.errors import Invalid, NotFound, PreconditionFailed, invalid
from governor.domain.identity import canonical_case
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.money import EXPONENTS
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind, zone
from governor.ports.store import Transaction, UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, rights
from governor.usecases.count_exposure import count_exposure
from governor.usecases.operations import earlier, remember
from governor.usecases.prove_capacity import wake_parked

MAX_CAP = 2**53 - 1
"""The largest cap: every JSON reader can still tell it from its neighbours."""


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
    """What operators do with limits; everybody else is refused with Forbidden `role_not_allowed`."""

    store: UnitOfWork
    ids: IdFactory

    def create(self, caller: Caller, draft: LimitDraft, key: str) -> tuple[Limit, bool]:
        """A new limit that counts the exposure that already exists (invariant 12); True when replayed."""
        draft = checked(draft)
        asked = _facts(draft)
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            known = earlier(tx, "limit", key, asked)
            if known is not None:
                return _existing(tx, known), True
            limit = Limit(id=self.ids.new("lim"), revision=1, archived=False, **vars(draft))
            tx.add_limit(limit)
            count_exposure(tx, limit)
            wake_parked(tx)
            checkpoint("limit.counted")
            remember(tx, "limit", key, asked, limit.id)
            tx.append_audit([caller.entry("limit.created", limit.id, {"from": None, "to": _standing(limit)})])
            return limit, False

    def update(self, caller: Caller, limit_id: str, draft: LimitDraft, revision: int) -> Limit:
        """Change cap and threshold; usage stays. What a limit counts cannot change: that is another limit.

        Raises:
            NotFound; PreconditionFailed: `revision` is not the present one; Invalid.
        """
        draft = checked(draft)
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            limit = _current(tx, limit_id, revision)
            changed = replace(
                limit, cap=draft.cap, approval_above=draft.approval_above, revision=revision + 1
            )
            if _facts(draft) != _facts(changed):
                raise Invalid(
                    "limit_identity", "Scope, value, measure, currency, window and zone of a limit stay."
                )
            tx.save_limit(changed)
            wake_parked(tx)
            told = {"from": _standing(limit), "to": _standing(changed)}
            tx.append_audit([caller.entry("limit.changed", limit.id, told)])
            return changed

    def archive(self, caller: Caller, limit_id: str, revision: int) -> Limit:
        """It binds no new request; existing holds still settle in its counters."""
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            limit = _current(tx, limit_id, revision)
            archived = replace(limit, archived=True, revision=revision + 1)
            tx.save_limit(archived)
            wake_parked(tx)
            told = {"from": _standing(limit), "to": _standing(archived)}
            tx.append_audit([caller.entry("limit.archived", limit.id, told)])
            return archived


def _existing(tx: Transaction, limit_id: str) -> Limit:
    limit = tx.limit(tx.here.name, limit_id)
    if limit is None:
        raise NotFound("limit_not_found", "There is no such limit.")
    return limit


def _current(tx: Transaction, limit_id: str, revision: int) -> Limit:
    limit = _existing(tx, limit_id)
    if limit.archived:
        raise NotFound("limit_not_found", "The limit is archived.")
    if limit.revision != revision:
        raise PreconditionFailed(
            "revision_stale", "Somebody changed the limit.", {"revision": limit.revision}
        )
    return limit


def _facts(limit: LimitDraft | Limit) -> dict[str, Any]:
    names = (
        "scope",
        "value",
        "measure",
        "currency",
        "window",
        "window_days",
        "time_zone",
        "cap",
        "approval_above",
    )
    return {name: getattr(limit, name) for name in names}


def _standing(limit: Limit) -> dict[str, Any]:
    """A limit as it stands at one revision, for the audit trail."""
    return {**_facts(limit), "revision": limit.revision, "archived": limit.archived}
