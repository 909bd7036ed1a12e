"""What a simulation that ran as long work found, as people look at it: a picture of its days."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from governor.console.charts import Chart, Kind, Series
from governor.console.words import spaced
from governor.domain.replay_of_past import Verdict


def picture(summary: Mapping[str, Any]) -> Chart:
    """What would have become of each day's requests."""
    days = summary["days"]
    after = ", ".join(f"{one['after']['count']} {spaced(one['verdict'])}" for one in summary["verdicts"])
    return Chart(
        "What would have become of each day's requests",
        f"In all: {after}.",
        [f"{date.fromisoformat(one['day']):%d %b}" for one in days],
        tuple(Series(spaced(verdict), [one["after"][verdict] for one in days]) for verdict in Verdict),
        Kind.BARS,
    )
