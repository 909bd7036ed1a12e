"""The past in the database, read from its end: as much of it as was asked for, and no more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, Engine, text

from adapters.sql import rows
from adapters.sql.execute import records
from adapters.sql.unit_of_work import answered
from governor.domain.admission import Denial
from governor.domain.credentials import Kind
from governor.domain.lifecycle import CAPACITY, Capacity, State
from governor.domain.replay_of_past import PastRefund, Verdict
from governor.domain.rule_health import Hits
from governor.domain.rules import RuleEffect, RuleMode
from governor.ports.past import HitsRead, PastRead

PAST = text("""
    SELECT jsonb_build_object('id', r.id, 'at', r.created_at, 'amount', r.asked_amount, 'currency', r.currency,
        'payment', r.payment, 'customer', r.customer, 'reason', r.reason, 'credentials', r.credentials,
        'agent', r.agent, 'case', r."case", 'state', r.state, 'denial', r.denial, 'quorum', r.quorum,
        'updated_at', r.updated_at, 'kind', c.kind, 'paid_at', p.paid_at)
    FROM (SELECT * FROM refund_requests WHERE environment = :env ORDER BY id DESC LIMIT :at_most) r
    LEFT JOIN LATERAL (SELECT kind FROM credentials x
        WHERE x.environment = :env AND x.id = r.requested_by LIMIT 1) c ON true
    LEFT JOIN LATERAL (SELECT paid_at FROM payments x
        WHERE x.environment = :env AND x.payment = r.payment LIMIT 1) p ON true
    WHERE r.created_at >= :since""")
"""Ids go with time: the newest rows are read along the key, however long the past is."""
PAST_ELSEWHERE = text("""
    SELECT to_jsonb(x) FROM external_refunds x WHERE environment = :env AND happened_at >= :since
    AND capacity <> 'released' ORDER BY happened_at DESC LIMIT :at_most""")
REFUNDED_BEFORE = text("""
    SELECT DISTINCT customer FROM refund_requests
    WHERE environment = :env AND customer = ANY(:customers) AND state = 'succeeded' AND created_at < :at
    UNION SELECT customer FROM external_refunds
    WHERE environment = :env AND customer = ANY(:customers) AND request IS NULL AND capacity <> 'released'
    AND happened_at < :at""")

HITS = text("""
    WITH newest AS MATERIALIZED (
        SELECT * FROM (SELECT rules, asked_amount, currency, state, created_at, quorum, hold FROM refund_requests
            WHERE environment = :env ORDER BY id DESC LIMIT :at_most) r
        WHERE created_at >= :since),
    fired AS MATERIALIZED (
        SELECT f.one ->> 'rule' AS rule, f.one ->> 'effect' AS effect, f.one ->> 'mode' AS mode, currency, state,
            asked_amount, CASE WHEN quorum > 0 THEN extract(epoch FROM (SELECT max(decided_at) FROM votes v
                WHERE v.environment = :env AND v.hold = n.hold) - created_at)::bigint END AS seconds
        FROM newest n CROSS JOIN LATERAL jsonb_array_elements(rules) AS f (one)
        WHERE f.one ->> 'rule' = :rule OR CAST(:rule AS text) IS NULL),
    alike AS (
        SELECT rule, effect, mode, currency, state, count(*) AS count, sum(asked_amount) AS amount_minor,
            coalesce(array_agg(seconds) FILTER (WHERE seconds IS NOT NULL), '{}') AS seconds
        FROM fired GROUP BY rule, effect, mode, currency, state)
    SELECT jsonb_build_object('looked_at', (SELECT count(*) FROM newest),
        'oldest_at', (SELECT min(created_at) FROM newest),
        'hits', (SELECT coalesce(jsonb_agg(to_jsonb(alike)), '[]') FROM alike))""")
"""Added up where they are: there are as many as are looked at, and few that differ."""

_POLICY = {Denial.NO_LIMIT, Denial.LIMIT_EXCEEDED, Denial.POLICY_DENIED}
"""Denials that another policy can change; the others are the payment's."""


class SqlPast:
    """`governor.ports.past.Past` on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")

    def refunds(self, environment: str, since: datetime, *, at_most: int) -> PastRead:
        """What was requested, and refunded elsewhere, since then; the newest `at_most` of each."""
        asked = {"env": environment, "since": since, "at_most": at_most}
        with answered(), self._reading.connect() as connection:
            found = records(connection, PAST, **asked)
            elsewhere = records(connection, PAST_ELSEWHERE, **asked)
        replayed = [row for row in found if row["denial"] is None or row["denial"] in _POLICY]
        refunds = [*map(_asked_for, replayed), *map(_elsewhere, elsewhere)]
        return PastRead(
            tuple(sorted(refunds, key=lambda one: (one.at, one.id))),
            set_aside=len(found) - len(replayed),
            is_whole=max(len(found), len(elsewhere)) < at_most,
        )

    def refunded_before(self, environment: str, customers: Collection[str], at: datetime) -> frozenset[str]:
        """Those of them who had a refund by then."""
        asked = {"env": environment, "customers": sorted(customers), "at": at}
        with answered(), self._reading.connect() as connection:
            return _customers(connection, asked)

    def hits(self, environment: str, since: datetime, *, at_most: int, rule: str | None = None) -> HitsRead:
        """Which rules fired for the newest `at_most` requests since then, or only this one, and what became of them."""
        asked = {"env": environment, "since": since, "at_most": at_most, "rule": rule}
        with answered(), self._reading.connect() as connection:
            row = records(connection, HITS, **asked)[0]
        looked_at, oldest_at = row["looked_at"], rows.moment(row["oldest_at"])
        since_then = since if looked_at < at_most or oldest_at is None else oldest_at
        return HitsRead(since_then, looked_at, tuple(map(_hits, row["hits"])))


def _hits(row: rows.Row) -> Hits:
    return Hits(
        rule=row["rule"],
        effect=RuleEffect(row["effect"]),
        mode=RuleMode(row["mode"]),
        currency=row["currency"],
        state=State(row["state"]),
        count=row["count"],
        amount_minor=int(row["amount_minor"]),
        seconds=tuple(row["seconds"]),
    )


def _customers(connection: Connection, asked: dict[str, object]) -> frozenset[str]:
    return frozenset(connection.execute(REFUNDED_BEFORE, asked).scalars())


def _asked_for(row: rows.Row) -> PastRefund:
    state = State(row["state"])
    held = Verdict.HELD if row["quorum"] else Verdict.LET_THROUGH
    return PastRefund(
        id=row["id"],
        at=rows.instant(row["at"]),
        amount_minor=row["amount"],
        currency=row["currency"],
        payment=row["payment"],
        customer=row["customer"],
        reason=row["reason"],
        verdict=Verdict.DENIED if state is State.DENIED else held,
        credentials=tuple(row["credentials"]),
        agent=row["agent"],
        case=row["case"],
        requester=None if row["kind"] is None else Kind(row["kind"]),
        paid_at=rows.moment(row["paid_at"]),
        released_at=rows.instant(row["updated_at"]) if CAPACITY[state] is Capacity.RELEASED else None,
    )


def _elsewhere(row: rows.Row) -> PastRefund:
    return PastRefund(
        id=row["id"],
        at=rows.instant(row["happened_at"]),
        amount_minor=row["amount"],
        currency=row["currency"],
        payment=row["payment"],
        customer=row["customer"],
        reason=None,
        verdict=None,
    )
