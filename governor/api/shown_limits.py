"""Limits as callers see them: what they allow now, what was said of them, and how much of them is taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from governor.api.output import Output, Time
from governor.domain.limits import Limit
from governor.domain.second_person import Word
from governor.usecases.limit_history import ExposurePoint, ShownChange
from governor.usecases.queries import ShownCounter


class SaidOut(Output):
    """What one person said of a change, and why (null: no reason was asked for)."""

    person: str
    reason: str | None
    at: Time


class LimitChangeOut(Output):
    """What somebody wants a limit to allow from `effective_at` until `until` (null: for good).

    `standing`: `proposed` waits for a second person, `to_come` for its time, `in_force` counts now; `past`, `withdrawn`.
    `raises`: it allows more than would be allowed without it. `archives`: the limit shall bind nobody any more.
    """

    id: str
    limit: str
    cap: int
    approval_above: int | None
    archives: bool
    raises: bool
    effective_at: Time
    until: Time | None
    standing: str
    proposed: SaidOut
    confirmed: SaidOut | None
    withdrawn: SaidOut | None


class LimitOut(Output):
    """An operator's cap. `value` null means one counter per value.

    `cap` and `approval_above` are what counts now, as the change of the id `change` says; `pending` is what waits for a
    second person, for its time or for its end.
    """

    id: str
    scope: str
    value: str | None
    measure: str
    currency: str | None
    window: str
    window_days: int | None
    time_zone: str
    cap: int
    approval_above: int | None
    revision: int
    archived: bool
    change: str | None
    pending: list[LimitChangeOut]


class CounterOut(Output):
    """One counter of a limit, for one scope value and one window. Amounts as the limit's measure says."""

    value: str
    window_start: Time
    window_end: Time | None
    cap: int
    settled: int
    reserved: int
    headroom: int


class ExposureOut(Output):
    """What was taken of a limit in one window: by all its `counters` together, and `most` by one of them.

    `cap` stood when the window ended, or stands now.
    """

    window_start: Time
    window_end: Time | None
    cap: int
    settled: int
    reserved: int
    counters: int
    most: int


def shown_limit(limit: Limit, pending: Iterable[ShownChange] = ()) -> dict[str, Any]:
    """A limit as it stands, with what is `pending`."""
    values = {name: value for name, value in vars(limit).items() if name != "steps"}
    return LimitOut(**values, pending=[_change(one) for one in pending]).model_dump(mode="json")


def shown_change(shown: ShownChange) -> dict[str, Any]:
    """A change, all of it but whose key said it."""
    return _change(shown).model_dump(mode="json")


def _change(shown: ShownChange) -> LimitChangeOut:
    change = shown.change
    names = ("id", "limit", "cap", "approval_above", "archives", "raises", "effective_at", "until")
    return LimitChangeOut(
        **{name: getattr(change, name) for name in names},
        standing=shown.standing,
        proposed=_said(change.proposed),
        confirmed=_said(change.confirmed) if change.confirmed else None,
        withdrawn=_said(change.withdrawn) if change.withdrawn else None,
    )


def _said(word: Word) -> SaidOut:
    return SaidOut(person=word.person, reason=word.reason or None, at=word.at)


def shown_counter(counter: ShownCounter) -> dict[str, Any]:
    """A counter with its arithmetic."""
    row = counter.row
    return CounterOut(
        value=row.value,
        window_start=row.window_start,
        window_end=counter.window_end,
        cap=counter.cap,
        settled=row.settled,
        reserved=row.reserved,
        headroom=counter.cap - row.settled - row.reserved,
    ).model_dump(mode="json")


def shown_exposure(point: ExposurePoint) -> dict[str, Any]:
    """What was taken in one window."""
    return ExposureOut(**vars(point.sums), window_end=point.window_end, cap=point.cap).model_dump(mode="json")
