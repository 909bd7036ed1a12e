from datetime import UTC, datetime, timedelta

from governor.domain.outcome import Outcome
from governor.domain.provider_health import (
    FEWEST_CALLS,
    WEBHOOK_TAKES,
    CallCount,
    Calls,
    ProviderHealth,
    Unread,
    is_late,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def _calls(**counts: int) -> Calls:
    """So many calls of each outcome, the last of each kind one minute before that of the next."""
    return Calls(
        tuple(
            CallCount(Outcome(outcome), "because", count, NOW - (number + 1) * MINUTE)
            for number, (outcome, count) in enumerate(counts.items())
        ),
        NOW - timedelta(hours=1),
    )


def _health(calls: Calls, webhook_at: datetime | None) -> ProviderHealth:
    return ProviderHealth(calls, (), Unread(0, None), webhook_at, NOW)


def test_an_answer_is_what_proves_something() -> None:
    calls = _calls(unknown=2, not_executed=1, accepted=3, rejected=1)
    assert (calls.total, calls.of(Outcome.UNKNOWN), calls.of(Outcome.REJECTED)) == (7, 2, 1)
    assert calls.answered_at == NOW - 2 * MINUTE
    assert calls.refunded_at == NOW - 3 * MINUTE
    assert (_calls().answered_at, _calls(unknown=1).answered_at, _calls(rejected=1).refunded_at) == (
        None,
        None,
        None,
    )


def test_many_calls_without_proof_are_a_matter_of_their_own() -> None:
    assert not _calls(unknown=FEWEST_CALLS - 1).many_unproven, "too few to tell"
    assert _calls(unknown=FEWEST_CALLS).many_unproven
    assert not _calls(unknown=5, accepted=95).many_unproven
    assert _calls(unknown=6, accepted=94).many_unproven


def test_the_provider_is_silent_when_nothing_was_proven_since_the_last_call_without_proof() -> None:
    """The first named is the newest."""
    assert _calls(unknown=1).silent
    assert _calls(unknown=1, accepted=1).silent
    assert not _calls(rejected=1, unknown=1).silent
    assert not _calls(accepted=1).silent


def test_webhooks_fail_when_they_came_before_and_none_came_for_the_last_refund() -> None:
    old = Calls((CallCount(Outcome.ACCEPTED, "refund_succeeded", 1, NOW - 2 * WEBHOOK_TAKES),), NOW)
    before, after = NOW - 3 * WEBHOOK_TAKES, NOW - WEBHOOK_TAKES
    assert _health(old, before).webhooks_fail
    assert not _health(old, after).webhooks_fail
    assert not _health(old, None).webhooks_fail, "there never were any"
    assert not _health(_calls(accepted=1), before).webhooks_fail, "it may still be on its way"
    assert not _health(_calls(rejected=1), before).webhooks_fail, "of a refusal there is none"


def test_a_walk_is_late_after_three_times_its_interval() -> None:
    assert not is_late(NOW, NOW - 3 * MINUTE, MINUTE)
    assert is_late(NOW, NOW - 3 * MINUTE - timedelta(seconds=1), MINUTE)
