"""The last 24 hours as a picture: what was asked for, hour by hour, and what became of it."""

from __future__ import annotations

from governor.console.charts import Chart, Kind, Series
from governor.domain.last_day import LastDay
from governor.domain.lifecycle import State

FATES: tuple[tuple[str, frozenset[State]], ...] = (
    ("Refunded", frozenset({State.SUCCEEDED})),
    ("Under way", frozenset({State.QUEUED, State.DISPATCHING, State.PROVIDER_PENDING})),
    ("Waits for approval", frozenset({State.PENDING_APPROVAL})),
    ("In doubt", frozenset({State.UNKNOWN})),
    ("Denied", frozenset({State.DENIED})),
    (
        "Ended without a refund",
        frozenset({State.FAILED, State.REVERSED, State.REJECTED, State.EXPIRED, State.CANCELED}),
    ),
)
"""States that mean the same to whoever looks at a day, lowest in a bar first."""


def day_chart(day: LastDay) -> Chart:
    """A bar for each hour. Hours that were not counted to their end are said to be not known."""
    series = tuple(
        Series(
            name,
            [
                sum(counts.get(state, 0) for state in states) if day.is_known(hour) else None
                for hour, counts in day.hours.items()
            ],
        )
        for name, states in FATES
    )
    sums = [f"{total} {one.name.lower()}" for one in series if (total := sum(filter(None, one.values)))]
    return Chart(
        "Asked for, by hour (UTC)",
        f"Of the requests of the last 24 hours: {', '.join(sums)}.",
        [f"{hour:%H:%M}" for hour in day.hours],
        series if sums else (),
        Kind.BARS,
    )
