"""Limits in words: one sentence that says what is counted, how much of it, and for whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from governor.console.words import utc
from governor.domain.limit_changes import LimitChange, Standing
from governor.domain.limit_lines import LimitLine, Origin
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.money import Money
from governor.domain.windows import WindowKind
from governor.http.money_display import amount_display, compact, compact_amount
from governor.usecases.change_limit import LimitDraft

SCOPES: Mapping[Scope, str] = {
    Scope.ENVIRONMENT: "Everybody together",
    Scope.CREDENTIAL: "Keys, each with those below it",
    Scope.AGENT: "Agents",
    Scope.CUSTOMER: "Customers",
    Scope.PAYMENT: "Payments",
    Scope.CASE: "Cases",
}
"""Whose refunds are counted together, from the widest to the narrowest."""

WINDOWS: Mapping[WindowKind, str] = {
    WindowKind.REQUEST: "in one refund",
    WindowKind.DAY: "a day",
    WindowKind.MONTH: "a month",
    WindowKind.LIFETIME: "ever",
}


def figure(of: Limit | LimitDraft, number: int) -> str:
    """A number as the limit measures."""
    if of.currency is not None:
        return amount_display(Money(number, of.currency))
    return "1 refund" if number == 1 else f"{number:,} refunds"


def short(of: Limit | LimitDraft, number: int) -> str:
    """The same in few letters, rounded: "$2.5K"."""
    if of.currency is None:
        return compact(number)
    return compact_amount(Money(number, of.currency))


def window(of: Limit | LimitDraft) -> str:
    """How long it counts: "a day", "in any 7 days"."""
    if of.window is WindowKind.ROLLING:
        return "in any 1 day" if of.window_days == 1 else f"in any {of.window_days} days"
    return WINDOWS[of.window]


def whom(of: Limit | LimitDraft) -> str:
    """Whom it counts: "everybody together", "each customer", "the agent bot-7"."""
    if of.scope is Scope.ENVIRONMENT:
        return "everybody together"
    word = "key" if of.scope is Scope.CREDENTIAL else of.scope.value
    return f"each {word}" if of.value is None else f"the {word} {of.value}"


def sentence(of: Limit | LimitDraft) -> str:
    """What it allows: "At most $2,000.00 a day for each agent"."""
    cap = figure(of, of.cap) if of.measure is Measure.COUNT or of.cap else "Nothing"
    return f"{'At most ' if of.cap else ''}{cap} {window(of)} for {whom(of)}"


def threshold(of: Limit | LimitDraft) -> str | None:
    """Which refunds people decide, each judged by its own amount; None when this limit asks nobody."""
    if of.approval_above is None:
        return None
    return f"One refund above {figure(of, of.approval_above)} needs approval"


def origin(line: LimitLine, of: Origin) -> str:
    """Where the cap of a line comes from: "each customer has it", "set for this key; $50.00 from 3 Dec … on"."""
    limit = line.charge.limit
    if limit.scope is Scope.ENVIRONMENT:
        words = "everybody shares it"
    else:
        word = "key" if limit.scope is Scope.CREDENTIAL else limit.scope.value
        words = f"set for this {word}" if of.named else f"each {word} has it"
        if of.above:
            words = "set for a key above it" if of.named else "each key has it, also the one above it"
    if of.until is None or of.then is None:
        return words
    return f"{words}; {figure(limit, of.then)} from {utc(of.until)} on"


STANDINGS: Mapping[Standing, tuple[str, str]] = {
    Standing.PROPOSED: ("Waits for a second person", "warning"),
    Standing.TO_COME: ("To come", "info"),
    Standing.IN_FORCE: ("Counts now", "success"),
    Standing.PAST: ("Past", "secondary"),
    Standing.WITHDRAWN: ("Withdrawn", "secondary"),
}
"""Where a change stands."""


COVERED = ("Counts again later", "info")
"""What stands for good, while something for a time counts."""


def standing(change: LimitChange, found: Standing, now: datetime) -> tuple[str, str]:
    """Where a change stands at `now`, and the tone of its badge."""
    covered = found is Standing.TO_COME and change.effective_at <= now
    return COVERED if covered else STANDINGS[found]


def allows(limit: Limit) -> str:
    """What it allows, without whom it counts: "At most $2,000.00, and approval of one refund above $100.00"."""
    above = limit.approval_above
    return f"At most {figure(limit, limit.cap)}" + (
        "" if above is None else f", and approval of one refund above {figure(limit, above)}"
    )


def changed(limit: Limit, change: LimitChange) -> str:
    """What a change wants: "At most $2,000.00", "That it binds nobody any more"."""
    if change.archives:
        return "That it binds nobody any more"
    return allows(replace(limit, cap=change.cap, approval_above=change.approval_above))
