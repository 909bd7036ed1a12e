"""The unknown desk and the freezes in memory."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from adapters.memory import waiting
from adapters.memory.tables import Tables
from governor.domain.doubt import AGE_BUCKETS, DoubtTotal, age_bucket, in_doubt_since
from governor.domain.lifecycle import UNRESOLVED_STATES, State
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Proposal
from governor.ports.records import InDoubt


class DeskReads:
    """What `governor.ports.reads.Reads` asks about requests in doubt, and about freezes."""

    _tables: Tables

    def in_doubt(self, environment: str, *, after: str | None, at_most: int) -> tuple[InDoubt, ...]:
        """The unknown desk, longest in doubt first; `after` is the id of the last one already seen."""
        found = sorted(self._on_the_desk(environment), key=_longest)
        last = self._tables.requests.get((environment, after or ""))
        behind = [one for one in found if last is None or _longest(one) > _longest(last)]
        return tuple(self._shown(environment, one) for one in behind[:at_most])

    def _shown(self, environment: str, request: RefundRequest) -> InDoubt:
        evidence = self._tables.evidence.get((environment, request.id), ())
        names = tuple(one.provider_request_id for one in evidence if one.provider_request_id)
        return InDoubt(request, names, self.proposals(environment, request.id))

    def _on_the_desk(self, environment: str) -> list[RefundRequest]:
        doubtful = waiting.requests_in(self._tables, environment, State.UNKNOWN, State.PROVIDER_PENDING)
        return [one for one in doubtful if one.state is State.UNKNOWN or one.flagged_at is not None]

    def in_doubt_totals(self, environment: str, now: datetime) -> tuple[DoubtTotal, ...]:
        """What the whole desk adds up to at `now`, by currency and age."""
        count: Counter[tuple[str, str]] = Counter()
        amount: Counter[tuple[str, str]] = Counter()
        for one in self._on_the_desk(environment):
            key = one.currency, age_bucket(now - in_doubt_since(one))
            count[key] += 1
            amount[key] += one.amount_minor
        ages = [name for name, _ in AGE_BUCKETS]
        ordered = sorted(count, key=lambda key: (key[0], ages.index(key[1])))
        return tuple(DoubtTotal(*key, count[key], amount[key]) for key in ordered)

    def proposals(self, environment: str, request_id: str) -> tuple[Proposal, ...]:
        """What people said of how a request ended, oldest first."""
        return self._tables.proposals.get((environment, request_id), ())

    def unresolved_of(self, environment: str, payment: str) -> tuple[RefundRequest, ...]:
        """The requests of a payment of which nobody knows yet whether money left, oldest first."""
        states = (*UNRESOLVED_STATES, State.PROVIDER_PENDING)
        found = waiting.requests_in(self._tables, environment, *states)
        return tuple(sorted((one for one in found if one.payment == payment), key=lambda one: one.id))

    def keys_of_refunds(self, environment: str, payment: str) -> dict[str, str]:
        """Refund id → the key of the call that made it, as the provider's events of this payment told."""
        events = (kept.event for (env, _), kept in self._tables.events.items() if env == environment)
        return {one.refund: one.key for one in events if one.payment == payment and one.refund and one.key}

    def history_changed(self, environment: str) -> bool:
        """Never: there is no other server."""
        return environment not in self._tables.environments


def _longest(request: RefundRequest) -> tuple[datetime, str]:
    return in_doubt_since(request), request.id
