"""What calls for an operator, in words: each with where to look, the worst first. Nothing here is decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from governor.console.words import ago
from governor.domain.doubt import DoubtTotal
from governor.domain.outcome import Outcome
from governor.domain.processes import DUTIES, Attendance, ProcessKind
from governor.domain.provider_health import ProviderHealth
from governor.domain.rule_health import RuleHealth
from governor.domain.runs import Run
from governor.domain.trail_care import TrailCare

STOPS_ALL = frozenset({ProcessKind.WEB, ProcessKind.WORKER})
"""Without these, no refund leaves; without the others, something else is late."""

TOO_OLD_TO_SEND = frozenset({"under_24_hours", "over_24_hours"})
"""Ages of doubt at which nothing is sent again: evidence comes, or two people say how it ended."""


@dataclass(frozen=True)
class Alarm:
    """One sentence, its tone (danger, warning), and the page below the environment where to look."""

    tone: str
    words: str
    page: str | None = None


def missing_processes(found: Iterable[Attendance]) -> Iterator[Alarm]:
    """Kinds of process that something waits for."""
    for one in found:
        if one.is_missing:
            without = DUTIES[one.kind].without
            words = f"No {one.kind.value} runs: {without}. Start one, or see what its log says."
            yield Alarm("danger" if one.kind in STOPS_ALL else "warning", words)


def provider_alarms(health: ProviderHealth, in_doubt: int) -> Iterator[Alarm]:
    """What is wrong between governor and the provider. `in_doubt` requests wait for proof of what happened."""
    calls = health.calls
    if calls.many_unproven and (in_doubt or calls.silent):
        count = f"{calls.of(Outcome.UNKNOWN)} of the last {calls.total} calls"
        yield Alarm("danger", f"{count} ended without proof of what happened. governor asks again by itself: see whether Stripe answers.", "/unknown")  # fmt: skip
    if health.webhooks_fail and health.webhook_at is not None:
        last = ago(health.webhook_at, health.at)
        yield Alarm("warning", f"No webhook has come for the last refund, the last one came {last}: what happens is learnt later, from Stripe's lists.")  # fmt: skip
    for walk in health.walks:
        if walk.is_late:
            last = (
                f"was last walked {ago(walk.walked_at, health.at)}" if walk.walked_at else "was never walked"
            )
            yield Alarm("warning", f"Stripe's list of {walk.list} {last}: what was done elsewhere may be missing. See whether Stripe answers.")  # fmt: skip
    if health.unread.count and health.unread.since is not None:
        yield Alarm("warning", f"{_unread(health.unread.count)} {ago(health.unread.since, health.at)}.")


def _unread(count: int) -> str:
    return "1 event stays unread, it came" if count == 1 else f"{count} events stay unread, the oldest came"


def old_doubt(totals: Iterable[DoubtTotal]) -> Iterator[Alarm]:
    """Requests in doubt that are not sent again by themselves."""
    count = sum(one.count for one in totals if one.age_bucket in TOO_OLD_TO_SEND)
    if count:
        words = "request has" if count == 1 else "requests have"
        yield Alarm("warning", f"{count} {words} been in doubt for over 20 hours: it takes evidence, or two people.", "/unknown")  # fmt: skip


def drift(reconciled: Run | None, care: TrailCare, now: datetime) -> Iterator[Alarm]:
    """What the last looks at the books found: the two planes apart, or a trail that is not what was sealed."""
    if care.verified is not None and care.verified.broken is not None:
        yield Alarm("danger", "The audit trail is not what was sealed.", "/audit")
    if care.anchored is not None and care.anchored.is_overdue(now):
        last = ago(care.anchored.at, now)
        yield Alarm("warning", f"The audit trail was last anchored {last}: what is cut off since then is not noticed.", "/audit")  # fmt: skip
    if (
        reconciled is not None
        and reconciled.summary is not None
        and (lines := reconciled.summary["unexplained"])
    ):
        words = "line needs" if lines == 1 else "lines need"
        yield Alarm(
            "warning", f"{lines} {words} a look in the last reconciliation.", f"/runs/{reconciled.id}"
        )


def habits(found: Iterable[RuleHealth]) -> Iterator[Alarm]:
    """Rules whose holds nobody may be reading any more."""
    for one in found:
        words = (
            f"People approve {one.approved_percent} % of what a rule holds: they may have stopped reading."
        )
        yield Alarm("warning", words, f"/rules/{one.rule}")


def worst_first(alarms: Iterable[Alarm]) -> list[Alarm]:
    """What stops refunds before what only makes something late."""
    return sorted(alarms, key=lambda one: one.tone != "danger")
