"""What calls for an operator, in words. The thresholds are the domain's; here is what is said of them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from governor.console.steer.alarms import (
    drift,
    habits,
    missing_processes,
    old_doubt,
    provider_alarms,
    worst_first,
)
from governor.domain.doubt import AGE_BUCKETS, DoubtTotal
from governor.domain.lifecycle import State
from governor.domain.outcome import Outcome
from governor.domain.processes import DUTIES, ProcessKind, attendance
from governor.domain.provider_health import CallCount, Calls, ProviderHealth, Unread, WalkSeen
from governor.domain.recovery import KEY_LIFE
from governor.domain.rule_health import Hits, health_of
from governor.domain.rules import RuleEffect, RuleMode
from governor.domain.runs import Run, RunState
from governor.domain.trail_care import Anchored, KeptIn, TrailCare, Verified

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FINE = ProviderHealth(
    Calls((CallCount(Outcome.ACCEPTED, "refund_succeeded", 90, NOW - HOUR),), NOW - 2 * HOUR),
    (WalkSeen("events", NOW, is_late=False),),
    Unread(0, None),
    NOW,
    NOW,
)


def _said(health: ProviderHealth, in_doubt: int = 0) -> list[str]:
    return [one.words for one in provider_alarms(health, in_doubt)]


def _run(**summary: object) -> Run:
    return Run("run_1", "test", "any", {}, RunState.DONE, "cred_1", "ann", NOW, None, summary=summary)


def test_a_provider_that_does_well_calls_for_nobody() -> None:
    assert _said(FINE) == []


def test_what_is_wrong_with_the_provider_is_said_with_its_figures() -> None:
    lost = CallCount(Outcome.UNKNOWN, "read_timeout", 10, NOW)
    (unproven,) = _said(replace(FINE, calls=replace(FINE.calls, counts=(*FINE.calls.counts, lost))))
    assert unproven.startswith("10 of the last 100 calls ended without proof of what happened.")
    (silent,) = _said(replace(FINE, webhook_at=NOW - 3 * HOUR))
    assert silent.startswith(
        "No webhook has come for the last refund, the last one came 3 hours ago: what happens"
    )
    assert _said(replace(FINE, walks=(WalkSeen("refunds", NOW - 5 * HOUR, is_late=True),))) == [
        (
            "Stripe's list of refunds was last walked 5 hours ago: what was done elsewhere may be missing. "
            "See whether Stripe answers."
        )
    ]
    (never,) = _said(replace(FINE, walks=(WalkSeen("events", None, is_late=True),)))
    assert never.startswith("Stripe's list of events was never walked")
    assert _said(replace(FINE, unread=Unread(4, NOW - HOUR))) == [
        "4 events stay unread, the oldest came 1 hour ago."
    ]
    assert _said(replace(FINE, unread=Unread(1, NOW - HOUR))) == ["1 event stays unread, it came 1 hour ago."]


def test_calls_without_proof_call_for_nobody_once_the_provider_answers_and_nothing_is_in_doubt() -> None:
    lost = CallCount(Outcome.UNKNOWN, "read_timeout", 10, NOW - 2 * HOUR)
    over = replace(FINE, calls=replace(FINE.calls, counts=(*FINE.calls.counts, lost)))
    assert _said(over) == []
    assert len(_said(over, in_doubt=1)) == 1


def test_doubt_calls_for_people_once_nothing_is_sent_again() -> None:
    for name, bound in AGE_BUCKETS:
        alarms = [*old_doubt([DoubtTotal("usd", name, 2, 100)])]
        assert bool(alarms) == (bound is None or bound > KEY_LIFE), name
    one, two = (
        next(old_doubt([DoubtTotal("usd", "over_24_hours", count, 100)])).words.partition(" been")[0]
        for count in (1, 2)
    )
    assert (one, two) == ("1 request has", "2 requests have")


def test_books_that_drift_apart_call_for_a_look() -> None:
    anchored = Anchored(9, "0" * 64, NOW - HOUR, KeptIn.LOG, None)
    verified = Verified(1, 9, NOW, "run_2", None)
    assert [*drift(None, TrailCare(0, None, None), NOW)] == []
    assert [*drift(_run(unexplained=0), TrailCare(9, anchored, verified), NOW)] == []
    care = TrailCare(9, replace(anchored, at=NOW - 3 * HOUR), replace(verified, broken=("audit_gap", 5)))
    alarms = worst_first(drift(_run(unexplained=3), care, NOW))
    assert [(one.tone, one.words.partition(":")[0], one.page) for one in alarms] == [
        ("danger", "The audit trail is not what was sealed.", "/audit"),
        ("warning", "The audit trail was last anchored 3 hours ago", "/audit"),
        ("warning", "3 lines need a look in the last reconciliation.", "/runs/run_1"),
    ]


def test_a_habit_of_approving_is_said_with_its_figure() -> None:
    fired = ("rule_1", RuleEffect.APPROVAL, RuleMode.ENFORCE, "usd")
    hits = [Hits(*fired, State.SUCCEEDED, 49, 4900, (60,) * 49), Hits(*fired, State.REJECTED, 1, 100, (60,))]
    (alarm,) = habits([health_of("rule_1", NOW, 50, hits)])
    assert (alarm.words.partition(":")[0], alarm.page) == (
        "People approve 98 % of what a rule holds",
        "/rules/rule_1",
    )


def test_what_stops_refunds_comes_before_what_makes_something_late() -> None:
    alarms = worst_first(missing_processes(attendance((), NOW)))
    assert [one.tone for one in alarms] == ["danger"] * 2 + ["warning"] * 4
    assert {one.words for one in alarms} == {
        f"No {kind.value} runs: {DUTIES[kind].without}. Start one, or see what its log says."
        for kind in ProcessKind
    }
