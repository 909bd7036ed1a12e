"""Every figure that is told: its name, what tells its values apart, and what it says. docs/operations.md draws this table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from prometheus_client.core import GaugeMetricFamily


class Figure(NamedTuple):
    """What a figure says, and the labels that tell its values apart. None of them grows with what is refunded."""

    says: str
    labels: tuple[str, ...] = ("environment",)


FIGURES: Mapping[str, Figure] = MappingProxyType(
    {
        "governor_database_up": Figure("1 while the database answers; without it nothing else is told.", ()),
        "governor_processes": Figure("Processes that live, by kind.", ("kind",)),
        "governor_process_needed": Figure("1 where something waits while none of the kind lives.", ("kind",)),
        "governor_stopped": Figure(
            "1 while nothing is sent, by why: frozen, halted, paused, fenced.", ("environment", "why")
        ),
        "governor_requests_last_day": Figure(
            "Refund requests of this hour and the 23 before it by how they were decided: let_through, held, denied; of the newest 10,000.",
            ("environment", "verdict"),
        ),
        "governor_states_last_day": Figure(
            "The same requests by the state they are in now.", ("environment", "state")
        ),
        "governor_calls_last_day": Figure(
            "The newest 1,000 refund calls of the last 24 hours, by what their reply proves.",
            ("environment", "outcome"),
        ),
        "governor_queued": Figure("Requests that wait to be sent; 10,000 at most are counted."),
        "governor_queue_overdue_seconds": Figure("How long ago the first of them was due."),
        "governor_sending": Figure("Requests whose call is under way."),
        "governor_for_approval": Figure("Requests that wait for approvers; 10,000 at most are counted."),
        "governor_for_approval_oldest_seconds": Figure("How long ago the oldest of them was asked for."),
        "governor_in_doubt": Figure("Requests in doubt, by age.", ("environment", "age")),
        "governor_webhook_age_seconds": Figure(
            "How long ago the last webhook came; not told before the first."
        ),
        "governor_walk_age_seconds": Figure(
            "How long ago a list of the provider was last walked to its end; not told before the first time.",
            ("environment", "list"),
        ),
        "governor_events_unread": Figure("Events that stay unread after several tries."),
        "governor_trail_anchor_age_seconds": Figure(
            "How long ago the audit trail was last anchored; not told before the first time."
        ),
        "governor_trail_broken": Figure(
            "1 once a verification found that the audit trail is not what was sealed, until its row is whole again; not told before the first."
        ),
        "governor_rows_passed_over": Figure("Rows of the audit trail that no endpoint could be told of."),
        "governor_limit_cap": Figure(
            "Cap of the limit for everybody with the least room, by what it measures; minor units, or requests.",
            ("environment", "measure", "currency", "window"),
        ),
        "governor_limit_taken": Figure(
            "What is taken of it now: held, settled, and of a rolling window the days before.",
            ("environment", "measure", "currency", "window"),
        ),
    }
)


class Told:
    """Values under the names of FIGURES, in the order in which they were first told."""

    def __init__(self) -> None:
        self._families: dict[str, GaugeMetricFamily] = {}

    def tell(self, name: str, value: float, *labels: str) -> None:
        """One value.

        Raises:
            ValueError: the figure has other labels.
        """
        figure = FIGURES[name]
        if len(labels) != len(figure.labels):
            raise ValueError(f"{name} is told by {figure.labels}")
        family = self._families.get(name)
        if family is None:
            family = self._families[name] = GaugeMetricFamily(name, figure.says, labels=figure.labels)
        family.add_metric(labels, value)

    def families(self) -> Iterator[GaugeMetricFamily]:
        """Everything that was told."""
        yield from self._families.values()
