"""What a report is asked about: its period, the people, how quickly, and which hours."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfoNotFoundError

from governor.console import typed_times
from governor.console.fields import Field, Filled, Form
from governor.console.visit import Visit
from governor.domain.audit_questions import OFFICE_HOURS
from governor.domain.decided import TOO_QUICK
from governor.domain.rules import Hours, Weekday
from governor.domain.windows import zone
from governor.http.query import printable
from governor.usecases.audit_reports import Period

_MOST_SECONDS = 86_400
_WORKDAYS = tuple(Weekday)[:5]


def _clock(text: str) -> time:
    try:
        return datetime.strptime(text, "%H:%M").time()  # noqa: DTZ007  a time of the clock on the wall; its zone is another field
    except ValueError:
        raise ValueError("Type a time like 08:30.") from None


def _zone(text: str) -> str:
    try:
        zone(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("Type the name of a time zone, like Europe/Berlin or UTC.") from None
    return text


def _seconds(text: str) -> timedelta:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= _MOST_SECONDS):
        raise ValueError(f"Type a whole number of seconds, 1 to {_MOST_SECONDS}.")
    return timedelta(seconds=int(text))


_PERIOD = (
    Field("from", "From", optional=True, at_most=40, read=typed_times.begin),
    Field("to", "To", optional=True, at_most=40, read=typed_times.end),
)
_HOURS = (
    Field("opens", "Hours begin", optional=True, at_most=5, read=_clock),
    Field("closes", "Hours end", optional=True, at_most=5, read=_clock),
    Field(
        "days",
        "On",
        kind="select",
        optional=True,
        options=(("weekdays", "Monday to Friday"), ("every_day", "every day")),
    ),
    Field("zone", "Time zone", optional=True, at_most=64, read=_zone),
)
PERIOD: Final = Form(_PERIOD)
DECISIONS: Final = Form(
    (
        *_PERIOD,
        Field("asker", "Asked by", optional=True, at_most=200),
        Field("approver", "Decided by", optional=True, at_most=200),
        Field("under", "Approved within (seconds)", optional=True, at_most=6, read=_seconds),
    )
)
HOURS: Final = Form((*_PERIOD, *_HOURS))
TOO_QUICK_SECONDS: Final = str(TOO_QUICK // timedelta(seconds=1))
_STARTS: Final = {
    "opens": f"{OFFICE_HOURS.begins:%H:%M}",
    "closes": f"{OFFICE_HOURS.ends:%H:%M}",
    "days": "weekdays",
    "zone": OFFICE_HOURS.time_zone,
}


def asked_in(visit: Visit, form: Form) -> Filled:
    """The form as the query fills it; hours begin with those of an office."""
    sent = {one.name: visit.one(one.name, printable) for one in form.fields}
    typed = {name: value if value is not None else _STARTS.get(name) for name, value in sent.items()}
    return Filled(form, "", {name: (value,) for name, value in typed.items() if value})


def period_in(visit: Visit, values: dict[str, Any]) -> Period:
    """The period that was asked for.

    Raises:
        Invalid: `period_empty`.
    """
    return visit.use.audit_reports.period(values["from"], values["to"])


def period_sent(visit: Visit) -> dict[str, str]:
    """The period as it was asked for, for links to other reports about the same."""
    return {name: value for name in ("from", "to") if (value := visit.one(name, printable))}


def hours_in(values: dict[str, Any]) -> Hours:
    """The hours that were asked for."""
    return Hours(
        values["opens"] or OFFICE_HOURS.begins,
        values["closes"] or OFFICE_HOURS.ends,
        tuple(Weekday) if values["days"] == "every_day" else _WORKDAYS,
        values["zone"] or OFFICE_HOURS.time_zone,
    )
