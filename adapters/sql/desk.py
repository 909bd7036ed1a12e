"""The unknown desk in the database: what is in doubt, what people said of it, and all that bears on it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import records
from governor.domain.doubt import AGE_BUCKETS, DoubtTotal
from governor.domain.environments import Environment
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Ending, Proposal
from governor.ports.records import InDoubt

_ON_THE_DESK = """r.state IN ('unknown', 'provider_pending')
        AND (r.state = 'unknown' OR r.flagged_at IS NOT NULL)"""
IN_DOUBT = text(f"""
    SELECT jsonb_build_object('request', to_jsonb(r),
        'provider_requests', (SELECT coalesce(jsonb_agg(e.provider_request_id ORDER BY e.recorded_at), '[]')
            FROM evidence e WHERE e.environment = :env AND e.request = r.id AND e.provider_request_id IS NOT NULL),
        'proposals', (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.proposed_at), '[]')
            FROM resolutions p WHERE p.environment = :env AND p.request = r.id))
    FROM refund_requests r
    WHERE r.environment = :env AND {_ON_THE_DESK} AND (CAST(:after AS text) IS NULL
        OR (coalesce(r.first_sent_at, r.created_at), r.id) > (
            SELECT coalesce(a.first_sent_at, a.created_at), a.id FROM refund_requests a
            WHERE a.environment = :env AND a.id = :after))
    ORDER BY coalesce(r.first_sent_at, r.created_at), r.id LIMIT :at_most""")  # noqa: S608  two constants
IN_DOUBT_TOTALS = text(f"""
    SELECT jsonb_build_object('currency', currency, 'bucket', bucket, 'count', count(*), 'amount', sum(amount))
    FROM (SELECT r.currency, r.amount, width_bucket(
            extract(epoch FROM :now - coalesce(r.first_sent_at, r.created_at)), CAST(:bounds AS numeric[])) AS bucket
        FROM refund_requests r WHERE r.environment = :env AND {_ON_THE_DESK}) one
    GROUP BY currency, bucket ORDER BY currency, bucket""")  # noqa: S608  two constants
PROPOSALS = text("""
    SELECT to_jsonb(p) FROM resolutions p WHERE environment = :env AND request = :id ORDER BY proposed_at""")
UNRESOLVED_OF = text("""
    SELECT to_jsonb(r) FROM refund_requests r WHERE environment = :env AND payment = :payment
    AND state IN ('dispatching', 'unknown', 'provider_pending') ORDER BY id""")
KEYS_OF_REFUNDS = text("""
    SELECT jsonb_build_array(refund, key) FROM provider_events
    WHERE environment = :env AND payment = :payment AND refund IS NOT NULL AND key IS NOT NULL""")
ADD_PROPOSAL = text("""
    INSERT INTO resolutions (environment, request, person, credential, outcome, reason, attempts, proposed_at)
    VALUES (:env, :request, :person, :credential, :outcome, :reason, :attempts, :proposed_at)""")

_BOUNDS = [bound.total_seconds() for _, bound in AGE_BUCKETS if bound is not None]


class DeskReads:
    """What `governor.ports.reads.Reads` asks about requests in doubt, on one connection."""

    _connection: Connection

    def in_doubt(self, environment: str, *, after: str | None, at_most: int) -> tuple[InDoubt, ...]:
        """The unknown desk, longest in doubt first; `after` is the id of the last one already seen."""
        found = records(self._connection, IN_DOUBT, env=environment, after=after, at_most=at_most)
        return tuple(
            InDoubt(
                rows.request_from(row["request"]),
                tuple(row["provider_requests"]),
                tuple(map(_proposal, row["proposals"])),
            )
            for row in found
        )

    def in_doubt_totals(self, environment: str, now: datetime) -> tuple[DoubtTotal, ...]:
        """What the whole desk adds up to at `now`, by currency and age."""
        found = records(self._connection, IN_DOUBT_TOTALS, env=environment, now=now, bounds=_BOUNDS)
        return tuple(
            DoubtTotal(row["currency"], AGE_BUCKETS[row["bucket"]][0], row["count"], row["amount"])
            for row in found
        )

    def proposals(self, environment: str, request_id: str) -> tuple[Proposal, ...]:
        """What people said of how a request ended, oldest first."""
        return tuple(map(_proposal, records(self._connection, PROPOSALS, env=environment, id=request_id)))

    def unresolved_of(self, environment: str, payment: str) -> tuple[RefundRequest, ...]:
        """The requests of a payment of which nobody knows yet whether money left, oldest first."""
        found = records(self._connection, UNRESOLVED_OF, env=environment, payment=payment)
        return tuple(map(rows.request_from, found))

    def keys_of_refunds(self, environment: str, payment: str) -> dict[str, str]:
        """Refund id → the key of the call that made it, as the provider's events of this payment told."""
        found: list[Any] = records(self._connection, KEYS_OF_REFUNDS, env=environment, payment=payment)
        return dict(found)


class DeskWrites:
    """What `governor.ports.store.Transaction` writes of them."""

    _connection: Connection
    here: Environment

    def add_proposal(self, request: str, proposal: Proposal) -> None:
        """Append what one person says of how a request ended."""
        said = vars(proposal) | {"outcome": proposal.outcome.value}
        self._connection.execute(ADD_PROPOSAL, said | {"env": self.here.name, "request": request})


def _proposal(row: rows.Row) -> Proposal:
    return Proposal(
        outcome=Ending(row["outcome"]),
        credential=row["credential"],
        person=row["person"],
        reason=row["reason"],
        attempts=row["attempts"],
        proposed_at=rows.instant(row["proposed_at"]),
    )
