"""Marks: how often a storm has met the situations it is made for. One that never met them proves little."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, text

_SEEN: Final = {
    "several_attempts_under_one_key": "SELECT count(*) FROM refund_requests WHERE attempts > 1",
    "lease_lost": "SELECT count(*) FROM audit WHERE action = 'refund_request.lease_lost'",
    "reply_after_the_lease": """
        SELECT count(*) FROM evidence e JOIN audit a ON a.environment = e.environment AND a.object = e.request
            AND a.action = 'refund_request.lease_lost' AND (a.facts ->> 'attempt')::int = e.attempt
        WHERE e.source = 'reply' AND e.recorded_at > a.at""",
    "woke_up_and_sent_nothing": """
        SELECT count(*) FROM evidence WHERE source = 'not_sent' AND reason IN ('lease_lost', 'claim_too_old')""",
    "gate_closed_after_the_claim": "SELECT count(*) FROM evidence WHERE source = 'not_sent'",
    "in_doubt": "SELECT count(DISTINCT request) FROM evidence WHERE outcome = 'unknown'",
    "provably_not_executed": "SELECT count(*) FROM evidence WHERE source = 'reply' AND outcome = 'not_executed'",
    "refused_by_the_provider": "SELECT count(*) FROM evidence WHERE outcome = 'rejected'",
    "found_by_a_read": "SELECT count(*) FROM evidence WHERE source = 'read' AND outcome = 'accepted'",
    "event_by_webhook": "SELECT count(*) FROM provider_events WHERE via = 'webhook'",
    "event_by_poll": "SELECT count(*) FROM provider_events WHERE via = 'poll'",
    "event_before_the_reply": """
        SELECT count(*) FROM provider_events p JOIN evidence e ON e.environment = p.environment
            AND p.key = 'governor-' || e.request AND e.source = 'reply' AND p.received_at < e.recorded_at""",
    "evidence_for_a_released_request": """
        SELECT count(*) FROM audit WHERE action = 'refund_request.evidence'
        AND facts ->> 'from' IN ('failed', 'reversed', 'rejected', 'expired', 'canceled')""",
    "overrun": """
        SELECT count(*) FROM audit WHERE action = 'environment.stopped' AND facts ->> 'halted' LIKE 'overrun%'""",
    "vote": "SELECT count(*) FROM votes",
    "cancel_wished_in_flight": "SELECT count(*) FROM audit WHERE action = 'refund_request.cancel_wished'",
    "operator_asked_to_look": "SELECT count(*) FROM refund_requests WHERE flagged_at IS NOT NULL",
    "refund_made_elsewhere": "SELECT count(*) FROM external_refunds",
}

_SAID: Final = {
    "database_or_queue_away_from_the_relay": "relay.waiting",
    "database_or_queue_away_from_cron": "cron.waiting",
    "job_for_a_request_that_never_was": "job.unknown_request",
    "evidence_could_not_be_recorded": "dispatch.failed",
}
"""What the programs say in their logs when they meet it."""


LONG_SECONDS: Final = 600
"""A storm of this length meets all of them, or something keeps it from them."""


def missed(met: Mapping[str, int], seconds: float) -> list[str]:
    """What a storm of this length should have met, and has not."""
    if seconds < LONG_SECONDS:
        return []
    return sorted(name for name in (*_SEEN, *_SAID) if not met.get(name))


def marks(connection: Connection, logs: str) -> dict[str, int]:
    """The count of each, from the books and from what the programs have said."""
    seen = {name: int(connection.execute(text(count)).scalar_one()) for name, count in _SEEN.items()}
    states = connection.execute(text("SELECT state, count(*) AS n FROM refund_requests GROUP BY state"))
    return {
        **{f"requests_{row.state}": int(row.n) for row in states},
        **seen,
        **{name: logs.count(word) for name, word in _SAID.items()},
    }
