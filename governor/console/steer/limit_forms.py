"""What operators are asked about a limit, and how the answers become a draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from governor.console import typed_times
from governor.console.amounts import example, typed_cap, typed_currency
from governor.console.fields import Field, Filled, Form
from governor.console.steer.limit_words import SCOPES
from governor.console.steer.spans import typed_span
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.money import EXPONENTS, Money, decimal_text
from governor.domain.seen import read_seen
from governor.domain.windows import WindowKind
from governor.domain.words import LONGEST
from governor.usecases.change_limit import LimitDraft
from governor.usecases.limit_series import Saying

_LONGEST = timedelta(days=366)
"""How long a change may be said to last, where it is not said until when."""


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ValueError("Type a whole number in digits, like 20.")
    return int(text)


def _end(text: str) -> datetime | timedelta:
    """When it ends, or how long it lasts."""
    try:
        lasts = timedelta(seconds=typed_span(text))
    except ValueError:
        return _moment_of_end(text)
    if lasts > _LONGEST:
        raise ValueError(f"At most {_LONGEST.days} days; for longer, type the time at which it ends.")
    return lasts


def _moment_of_end(text: str) -> datetime:
    try:
        return typed_times.end(text)
    except ValueError:
        example = "a date like 2026-11-30, or a time with its zone, like 2026-11-30T08:00:00Z"
        raise ValueError(f"Type how long, like 4 hours or 2 days, or {example}.") from None


CAP = Field("cap", "At most", "An amount like 1500.00, or a number of refunds. 0 lets nothing through.")
ABOVE = Field(
    "approval_above",
    "One refund needs approval above",
    "Each by its own amount, whatever is taken already: what adds up is asked for by a rule. Left out: this limit asks nobody. For money only.",
    optional=True,
)
REASON = Field(
    "reason",
    "Why",
    "Kept with the limit, for whoever looks at it later.",
    kind="area",
    optional=True,
    at_most=LONGEST,
)
WHEN = (
    Field(
        "effective_at",
        "From",
        "A date, which begins at 00:00 UTC, or a time like 2026-11-30T08:00:00Z. Left out: at once.",
        optional=True,
        read=typed_times.begin,
    ),
    Field(
        "until",
        "Until",
        "Like 4 hours or 2 days, a date, which counts to its end (UTC), or a time. Then what stands without this change counts again. Left out: for good.",
        optional=True,
        read=_end,
    ),
)
SEEN = Field("seen", "What you saw of it", kind="hidden", read=read_seen)

NEW = Form(
    (
        Field(
            "scope",
            "Whose refunds are counted together",
            kind="radios",
            options=tuple((scope.value, words) for scope, words in SCOPES.items()),
            read=Scope,
        ),
        Field(
            "value",
            "Only this one",
            "The name of an agent, or an id. Left out: each of them has the limit for itself.",
            optional=True,
        ),
        Field(
            "measure",
            "What is counted",
            kind="radios",
            options=((Measure.AMOUNT.value, "Money"), (Measure.COUNT.value, "The number of refunds")),
            read=Measure,
        ),
        Field(
            "currency",
            "Currency",
            "Three letters, like usd. For money only.",
            optional=True,
            depends=True,
            read=typed_currency,
        ),
        Field(
            "window",
            "Over which time",
            kind="radios",
            options=(
                (WindowKind.REQUEST.value, "None: each refund is judged by itself"),
                (WindowKind.DAY.value, "A day"),
                (WindowKind.MONTH.value, "A month"),
                (WindowKind.ROLLING.value, "The last days"),
                (WindowKind.LIFETIME.value, "Ever"),
            ),
            read=WindowKind,
        ),
        Field(
            "window_days",
            "How many days",
            "For the last days only.",
            optional=True,
            depends=True,
            read=_whole,
        ),
        Field("time_zone", "Whose midnight ends a day", "A time zone like UTC or Europe/Vienna."),
        CAP,
        ABOVE,
        REASON,
    )
)
EDIT = Form((CAP, ABOVE, *WHEN, REASON, SEEN))
ARCHIVE = Form((REASON, SEEN))


def _fitted(form: Form, measure: str, currency: str) -> Form:
    """The form with its numbers read as a limit of this measure and currency does; as typed where neither is known."""
    read: Callable[[str], object]
    if measure == Measure.COUNT:
        read, hint = _whole, "A number of refunds. 0 lets nothing through."
    elif currency in EXPONENTS:
        read = partial(typed_cap, currency=currency)
        hint = f"In {currency.upper()}, like {example(EXPONENTS[currency])}. 0 lets nothing through."
    else:
        return form
    numbers = {CAP.name: replace(CAP, read=read, hint=hint), ABOVE.name: replace(ABOVE, read=read)}
    return Form(tuple(numbers.get(one.name, one) for one in form.fields))


def edit_form(limit: Limit) -> Form:
    """The questions about a limit that there is already; one that counts refunds has no threshold."""
    asked = EDIT if limit.measure is Measure.AMOUNT else Form((CAP, *WHEN, REASON, SEEN))
    return _fitted(asked, limit.measure, limit.currency or "")


def typed(limit: Limit, number: int | None) -> str:
    """A number of a limit as somebody would type it."""
    if number is None:
        return ""
    return str(number) if limit.currency is None else decimal_text(Money(number, limit.currency))


def again(limit: Limit, now: datetime) -> dict[str, str]:
    """What a form for a new limit starts with that shall be like another: what that one allows for good at `now`."""
    lasting = limit.for_good(now)
    kept = {name: getattr(lasting, name) for name in LimitDraft.__dataclass_fields__}
    numbers = {name: typed(limit, kept[name]) for name in (CAP.name, ABOVE.name)}
    return {name: "" if value is None else str(value) for name, value in kept.items()} | numbers


def fitted_new(filled: Filled) -> Filled:
    """A new limit's form, with its numbers read as its other answers say."""
    return replace(filled, form=_fitted(NEW, filled.of("measure"), filled.of("currency").strip().lower()))


def changed_draft(limit: Limit, values: dict[str, Any]) -> LimitDraft:
    """A limit with what was answered; everything else stays."""
    kept = {name: getattr(limit, name) for name in LimitDraft.__dataclass_fields__}
    return LimitDraft(**kept | {"cap": values["cap"], "approval_above": values.get("approval_above")})


def said(values: dict[str, Any], now: datetime) -> Saying:
    """Why, and for when; how long it lasts is counted from when it begins.

    Raises:
        Invalid: it would be over before it begins.
    """
    begins, ends = values["effective_at"], values["until"]
    if isinstance(ends, timedelta):
        ends = max(begins or now, now) + ends
    saying = Saying(values["reason"] or "", begins, ends)
    saying.begins(now)
    return saying


def settled(filled: Filled, saying: Saying) -> Filled:
    """The form with its end as a moment: "4 hours" mean what was shown, however long somebody looks at it."""
    if saying.until is None:
        return filled
    return replace(filled, typed={**filled.typed, "until": (saying.until.isoformat(),)})
