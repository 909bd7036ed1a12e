"""Refunds made elsewhere in memory."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from adapters.memory import waiting
from adapters.memory.tables import Tables
from governor.domain.admission import Sibling
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import Capacity, State
from governor.domain.requests import RefundRequest


class ExternalReads:
    """What `governor.ports.reads.Reads` asks about refunds made elsewhere."""

    _tables: Tables

    def requests_seen(
        self, environment: str, payment: str | None, named: Collection[str]
    ) -> tuple[RefundRequest, ...]:
        """All requests of a payment, and those of these ids whatever they are about."""
        found = waiting.requests_in(self._tables, environment)
        return tuple(one for one in found if one.payment == payment or one.id in named)

    def external_refunds(self, environment: str, ids: Collection[str]) -> tuple[ExternalRefund, ...]:
        """What is kept of these refunds made elsewhere."""
        found = (self._tables.external.get((environment, one)) for one in ids)
        return tuple(one for one in found if one is not None)

    def list_external_refunds(
        self, environment: str, *, after: str | None, at_most: int
    ) -> tuple[ExternalRefund, ...]:
        """Refunds made elsewhere, by id; `after` is the id of the last one already seen."""
        mine = (one for (env, _), one in self._tables.external.items() if env == environment)
        behind = (one for one in mine if after is None or one.id > after)
        return tuple(sorted(behind, key=lambda one: one.id)[:at_most])

    def _external(self, environment: str, payment: str) -> int:
        """What refunds made elsewhere took of a payment."""
        return sum(
            one.amount_minor
            for (env, _), one in self._tables.external.items()
            if (env, one.payment) == (environment, payment) and one.capacity is not Capacity.RELEASED
        )

    def _claimed(self, environment: str, payment: str) -> list[Sibling]:
        """Requests that only a refund at the provider names."""
        return [
            Sibling(one.claims, State.SUCCEEDED, frozenset({one.amount_minor}))
            for (env, _), one in self._tables.external.items()
            if env == environment and one.payment == payment and one.claims is not None
            if one.capacity is not Capacity.RELEASED
        ]

    def _external_since(self, environment: str, since: datetime) -> tuple[ExternalRefund, ...]:
        """Those that are not final yet, and those since then that have succeeded."""
        mine = [one for (env, _), one in self._tables.external.items() if env == environment]
        late = (one for one in mine if one.capacity is Capacity.SETTLED and one.happened_at >= since)
        held = (one for one in mine if one.capacity is Capacity.HELD)
        return tuple(sorted((*late, *held), key=lambda one: one.id))
