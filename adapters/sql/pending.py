"""What a transaction is going to write: collected here, flushed set-based in one statement."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from adapters.sql import rows
from adapters.sql.execute import as_json
from governor.domain.audit import Entry, guarded, seal
from governor.domain.limits import Charge, CounterKey
from governor.domain.payments import PaymentFacts
from governor.domain.requests import RefundRequest


class PendingWrites:
    """The collected writes of one environment, and the head of its audit chain as they move it."""

    def __init__(self, environment: str, now: datetime, line: rows.Row) -> None:
        self._environment, self._now = environment, now
        self._seq, self._hash = line["audit_seq"], line["audit_hash"]
        self._audit_at = rows.instant(line["audit_at"])
        self._known = {"limits_revision": line["limits_revision"]}
        self._clear()

    def _clear(self) -> None:
        self._requests: list[dict[str, Any]] = []
        self._payments: dict[str, dict[str, Any]] = {}
        self._counters: dict[CounterKey, list[int]] = {}
        self._takes: list[tuple[str, int, int, int]] = []
        self._outbox: list[dict[str, Any]] = []
        self._trail: list[dict[str, Any]] = []

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._requests or self._payments or self._takes or self._outbox or self._trail)

    @property
    def takes(self) -> bool:
        """Whether a hold is not written yet."""
        return bool(self._takes)

    def add_requests(self, requests: Sequence[RefundRequest]) -> None:
        """New requests, admitted or denied."""
        self._requests.extend(map(rows.request_row, requests))

    def take(self, request: str, charges: Sequence[Charge], *, moved_minor: int | None) -> None:
        """Reserve: one held share per charge; or book what of it has left already."""
        for charge in charges:
            if charge.counted:
                gone = 0 if moved_minor is None else charge.of(moved_minor).amount
                counter = self._counters.setdefault(charge.key, [len(self._counters), 0, 0])
                counter[1] += charge.amount if moved_minor is None else 0
                counter[2] += gone
                self._takes.append((request, counter[0], charge.amount, gone))

    def save_facts(self, facts: PaymentFacts, *, reserve: int) -> None:
        """Keep what the provider showed of a payment, and reserve `reserve` minor units of it."""
        row = self._payments.setdefault(facts.payment, {"reserved": 0})
        reserved = row["reserved"] + reserve
        row.update(rows.facts_row(facts), environment=self._environment, reserved=reserved, settled=0)

    def enqueue(self, requests: Iterable[tuple[str, datetime]]) -> None:
        """Outbox rows: ring for these requests at these times."""
        self._outbox.extend({"request": request, "due_at": due.isoformat()} for request, due in requests)

    def append_audit(self, entries: Sequence[Entry]) -> None:
        """Seal entries behind the head of the environment's chain, each with the revision of the limits it saw."""
        for written in entries:
            entry = guarded(written, self._known)
            self._seq += 1
            # Never before the row it seals, whatever clock the development offset shows.
            self._audit_at = max(self._audit_at, self._now)
            sealed = seal(self._environment, self._seq, self._audit_at, entry, self._hash)
            self._hash = sealed.hash
            self._trail.append(
                {
                    "environment": sealed.environment,
                    "seq": sealed.seq,
                    "at": sealed.at.isoformat(),
                    **vars(entry),
                    "prev_hash": sealed.prev_hash,
                    "hash": sealed.hash,
                }
            )

    def drain(self) -> dict[str, Any]:
        """The parameters of the flushing statement; afterwards nothing is pending."""
        parameters = {
            "env": self._environment,
            "now": self._now,
            "requests": as_json(self._requests),
            "payments": as_json(self._payments.values()),
            "counters": json.dumps([_counted(key, *sums) for key, sums in self._counters.items()]),
            "takes": json.dumps(self._takes),
            "outbox": as_json(self._outbox),
            "audit": as_json(self._trail),
            "seq": self._seq,
            "hash": self._hash,
            "at": self._audit_at,
            "rings": bool(self._outbox),
        }
        self._clear()
        return parameters


def _counted(key: CounterKey, n: int, reserved: int, settled: int) -> dict[str, Any]:
    """What a batch adds to one counter; `n` is its number within the batch."""
    return {
        "n": n,
        **rows.counter_row(key),
        "reserved": reserved,
        "settled": settled,
    }
