"""The questions about a rule, and how their answers become one: the form of its JSON, field by field."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from governor.console.amounts import typed_amount, typed_currency
from governor.console.fields import Field, Filled, Form
from governor.console.steer.spans import approval_span, span_words
from governor.console.words import REASONS
from governor.domain.errors import Invalid, invalid
from governor.domain.money import Money, decimal_text
from governor.domain.rule_form import then_form, then_from, when_form, when_from
from governor.domain.rules import Rule, RuleMode, Weekday
from governor.usecases.rule_drafts import RuleDraft

_DAYS = tuple((day.value, day.value.capitalize()) for day in Weekday)
_REASONS = (*REASONS.items(), ("not_given", "No reason was given"))


def _clock(text: str) -> str:
    hour, colon, minute = text.partition(":")
    digits = hour.isascii() and hour.isdigit() and minute.isascii() and minute.isdigit()
    if not (
        colon and digits and len(hour) == len(minute) == len("00") and int(hour) < 24 and int(minute) < 60
    ):
        raise ValueError("Type a time like 08:30.")
    return text


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len("9007199254740991")):
        raise ValueError("Type a number in digits.")
    return int(text)


def _people(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")]


REVISION = Field("revision", "Revision", kind="hidden", optional=True, read=_number)
"""Which revision of a rule whoever sends a form has seen."""
FORM = Form(
    (
        Field("name", "Name", "What approvers read first.", at_most=128),
        Field(
            "mode",
            "What it does",
            kind="radios",
            options=((RuleMode.DRY_RUN.value, "only records where it fires (dry run)"), (RuleMode.ENFORCE.value, "acts")),
        ),
        Field("currency", "Currency", "Three letters, like usd.", optional=True, read=typed_currency, pointer="/when/currency"),
        Field("amount", "Amount, at or above", kind="amount", optional=True, pointer="/when/amount_at_least"),
        Field("reasons", "Reason", kind="checkboxes", options=_REASONS, pointer="/when/reasons"),
        Field("payment_days", "Days since the payment, at or above", optional=True, read=_number, pointer="/when/payment_days_at_least"),
        Field("requester", "Asked for by", kind="select", optional=True, options=(("program", "a program"), ("human", "a person"))),
        Field("first_refund", "The customer", kind="select", optional=True, options=(("yes", "has had no refund before"), ("no", "has had one before"))),
        Field("begins", "From", "A time like 20:00.", optional=True, read=_clock, pointer="/when/hours/begins"),
        Field("ends", "Until", "A time like 08:00.", optional=True, read=_clock, pointer="/when/hours/ends"),
        Field("weekdays", "On", "None: on all days.", kind="checkboxes", options=_DAYS, pointer="/when/hours/weekdays"),
        Field("zone", "Time zone of the hours", "Like Europe/Berlin. Left out: UTC.", optional=True, at_most=64, pointer="/when/hours/time_zone"),
        Field("sum_scope", "Adds up per", kind="select", optional=True, options=tuple((one, one) for one in ("customer", "case", "agent", "credential", "payment", "environment"))),
        Field("sum_measure", "What adds up", kind="select", optional=True, options=(("amount", "amounts"), ("count", "refunds")), pointer="/when/cumulative/measure"),
        Field("sum_window", "Within", kind="select", optional=True, options=(("day", "a day"), ("month", "a month"), ("rolling", "so many days"), ("lifetime", "ever")), pointer="/when/cumulative/window"),
        Field("sum_days", "So many days", optional=True, read=_number, pointer="/when/cumulative/window_days"),
        Field("sum_at_least", "Reaches", "An amount, or a number of refunds. This request counts.", optional=True, at_most=20, pointer="/when/cumulative/at_least"),
        Field("sum_zone", "Time zone of its days", "Left out: UTC.", optional=True, at_most=64, pointer="/when/cumulative/time_zone"),
        Field("effect", "Then it", kind="radios", options=(("approval", "needs approval"), ("deny", "is denied"), ("allow", "is allowed, and counted")), pointer="/then/effect"),
        Field("quorum", "How many people approve", "1 to 5. Left out: 1.", optional=True, read=_number, pointer="/then/quorum"),
        Field("approvers", "Only these people", "Logins or owners, with commas. Left out: every approver.", optional=True, read=_people, pointer="/then/approvers"),
        Field("expires_seconds", "How long they have", "Like 8 hours or 2 days. Left out: as long as the environment gives.", optional=True, read=approval_span, pointer="/then/expires_seconds"),
        REVISION,
    )
)  # fmt: skip

SECTIONS = (
    ("The rule", ("name", "mode")),
    ("What is asked for", ("currency", "amount", "reasons", "payment_days", "requester", "first_refund")),
    ("When it is asked for", ("begins", "ends", "weekdays", "zone")),
    ("What adds up", ("sum_scope", "sum_measure", "sum_window", "sum_days", "sum_at_least", "sum_zone")),
    ("What follows", ("effect", "quorum", "approvers", "expires_seconds")),
)
"""All conditions that are answered must hold; with none, the rule fires for every request."""


def draft_in(filled: Filled, starts_at: datetime | None = None) -> tuple[RuleDraft, int | None]:
    """The rule that the answers say, and the revision that they were written over.

    Raises:
        Invalid: an answer that cannot be read, or that means nothing beside the others.
    """
    typed = filled.read()
    when = {
        "currency": typed["currency"],
        "amount_at_least": _amount("/when/amount_at_least", typed["amount"], typed["currency"]),
        "reasons": list(typed["reasons"]),
        "payment_days_at_least": typed["payment_days"],
        "requester": typed["requester"],
        "first_refund": None if typed["first_refund"] is None else typed["first_refund"] == "yes",
        "hours": _hours(typed),
        "cumulative": _cumulative(typed),
    }
    then = {
        "effect": typed["effect"],
        "quorum": typed["quorum"],
        "approvers": typed["approvers"],
        "expires_seconds": typed["expires_seconds"],
    }
    draft = RuleDraft(typed["name"], RuleMode(typed["mode"]), starts_at, when_from(when), then_from(then))
    return draft, typed["revision"]


def _hours(typed: dict[str, Any]) -> dict[str, Any] | None:
    if typed["begins"] is None and typed["ends"] is None:
        return None
    if typed["begins"] is None or typed["ends"] is None:
        raise invalid("/when/hours/ends", "hours_unfit", "Hours have a beginning and an end.")
    days = list(typed["weekdays"]) or [day.value for day in Weekday]
    return {
        "begins": typed["begins"],
        "ends": typed["ends"],
        "weekdays": days,
        "time_zone": typed["zone"] or "UTC",
    }


def _cumulative(typed: dict[str, Any]) -> dict[str, Any] | None:
    asked = {name: typed[f"sum_{name}"] for name in ("scope", "measure", "window", "at_least")}
    if not any(asked.values()):
        return None
    if not all(asked.values()):
        raise invalid(
            "/when/cumulative/at_least",
            "sum_unfit",
            "A sum is of something, within a time, and reaches something.",
        )
    pointer = "/when/cumulative/at_least"
    count = asked["measure"] == "count"
    least = (
        _count(pointer, asked["at_least"])
        if count
        else _amount(pointer, asked["at_least"], typed["currency"])
    )
    return {
        **asked,
        "at_least": least,
        "window_days": typed["sum_days"],
        "time_zone": typed["sum_zone"] or "UTC",
    }


def _count(pointer: str, text: str) -> int:
    try:
        return _number(text)
    except ValueError as error:
        raise invalid(pointer, "count_unreadable", str(error)) from None


def _amount(pointer: str, text: str | None, currency: str | None) -> int | None:
    if text is None:
        return None
    if currency is None:
        raise invalid("/when/currency", "currency_and_measure", "An amount is of one currency: name it.")
    try:
        return typed_amount(text, currency)
    except Invalid as error:
        raise invalid(pointer, "amount_unreadable", error.errors[0].detail) from error


def answers_of(rule: Rule) -> dict[str, str | tuple[str, ...]]:
    """A rule as the answers that say it."""
    when, then = when_form(rule.when), then_form(rule.then)
    hours, total = when.get("hours") or {}, when.get("cumulative") or {}
    first = {True: "yes", False: "no"}.get(when.get("first_refund"), "")  # type: ignore[arg-type]  # None: not asked
    answers: dict[str, Any] = {
        "name": rule.name,
        "mode": rule.mode.value,
        "currency": rule.when.currency,
        "amount": _spelled(when.get("amount_at_least"), rule.when.currency),
        "reasons": tuple(when.get("reasons", ())),
        "payment_days": when.get("payment_days_at_least"),
        "requester": when.get("requester"),
        "first_refund": first,
        **{name: hours.get(name) for name in ("begins", "ends")},
        "weekdays": tuple(hours.get("weekdays", ())),
        "zone": hours.get("time_zone"),
        "sum_zone": total.get("time_zone"),
        **{f"sum_{name}": total.get(name) for name in ("scope", "measure", "window")},
        "sum_days": total.get("window_days"),
        "sum_at_least": _spelled(
            total.get("at_least"), rule.when.currency if total.get("measure") == "amount" else None
        ),
        "effect": then["effect"],
        "quorum": then.get("quorum"),
        "approvers": ", ".join(then.get("approvers") or ()),
        "expires_seconds": span_words(expiry) if (expiry := then.get("expires_seconds")) else None,
        "revision": rule.revision,
    }
    return {
        name: value if isinstance(value, tuple) else str(value)
        for name, value in answers.items()
        if value not in (None, "", ())
    }


def _spelled(number: int | None, currency: str | None) -> str:
    if number is None:
        return ""
    return str(number) if currency is None else decimal_text(Money(number, currency))
