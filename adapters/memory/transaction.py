"""One writing transaction in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from adapters.bucket import filled
from adapters.memory import waiting
from adapters.memory.collecting import CollectingTransaction
from adapters.memory.late_limits import LateLimitWrites
from adapters.memory.power import PowerWrites
from adapters.memory.rules import RuleWrites
from governor.domain.admission import Sibling
from governor.domain.approval import Vote
from governor.domain.environments import Environment
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import CAPACITY, OPEN_STATES, Capacity, State
from governor.domain.limit_changes import LimitChange
from governor.domain.limits import Charge, Limit, Measure
from governor.domain.requests import HoldRow, RefundRequest
from governor.domain.resolutions import Proposal
from governor.ports.records import Operation, RecordedEvidence, Surroundings


class MemoryTransaction(LateLimitWrites, PowerWrites, RuleWrites, CollectingTransaction):
    """`governor.ports.store.Transaction` on tables in memory."""

    # What moves a request on

    def save_requests(self, requests: Sequence[RefundRequest]) -> None:
        """Write the present standing of requests whose capacity stays where it is."""
        for request in requests:
            if (self.here.name, request.id) in self._tables.requests:
                self._tables.requests.put((self.here.name, request.id), request)

    def carry(self, before: RefundRequest, after: RefundRequest) -> None:
        """Write a request's new standing and carry its capacity with it: counters, holds and payment."""
        self.write_takes()
        self._carry_holds(after.id, CAPACITY[after.state], after.amount_minor, after.moved_minor)
        payment = self._tables.payments.get((self.here.name, after.payment))
        if payment is not None:
            was, now = _taken(before), _taken(after)
            reserved, settled = payment.reserved + now[0] - was[0], payment.settled + now[1] - was[1]
            carried = replace(payment, reserved=reserved, settled=settled)
            self._tables.payments.put((self.here.name, after.payment), carried)
        self.save_requests([after])

    def _carry_holds(self, holder: str, state: Capacity, amount_minor: int, moved_minor: int) -> None:
        """Each in the counter where it was made (invariant 9)."""
        carried = []
        for hold in self.holds(self.here.name, holder):
            counts = self._tables.limits[self.here.name, hold.limit].measure is Measure.COUNT
            amount, moved = (hold.amount, hold.amount) if counts else (amount_minor, moved_minor)
            settled = moved if state is Capacity.SETTLED else 0
            now = replace(hold, amount=amount, state=state.value, settled=settled)
            self._count(hold.counter, reserved=_held(now) - _held(hold), settled=now.settled - hold.settled)
            carried.append(now)
        if carried:
            self._tables.holds.put((self.here.name, holder), tuple(carried))

    def book_external(
        self, before: ExternalRefund | None, after: ExternalRefund, charges: Sequence[Charge] = ()
    ) -> None:
        """Write a refund made elsewhere and carry its room with it; `charges` are taken by one seen first."""
        self._tables.external.put((self.here.name, after.id), after)
        if before is None:
            self.take(after.id, charges, moved_minor=after.moved_minor)
        elif before.capacity is not after.capacity:
            self.write_takes()
            self._carry_holds(after.id, after.capacity, after.amount_minor, after.amount_minor)

    def add_evidence(self, request: str, recorded: RecordedEvidence) -> bool:
        """Append evidence under its natural key; False when exactly this was known already."""
        known = self.evidence(self.here.name, request)
        if any(replace(one, recorded_at=recorded.recorded_at) == recorded for one in known):
            return False
        self._tables.evidence.put((self.here.name, request), (*known, recorded))
        return True

    def add_vote(self, hold: str, vote: Vote) -> None:
        """Append one person's decision."""
        votes = self.votes(self.here.name, hold)
        self._tables.votes.put((self.here.name, hold), (*votes, (vote, self.now)))

    def keep_hold_version(self, request: RefundRequest) -> None:
        """Append what a request's hold has shown, which is about to change."""
        version = (request.hold or "", request.hold_version)
        self._tables.hold_versions.add((self.here.name, *version), request.shown)

    def add_proposal(self, request: str, proposal: Proposal) -> None:
        """Append what one person says of how a request ended."""
        said = (*self.proposals(self.here.name, request), proposal)
        self._tables.proposals.put((self.here.name, request), said)

    def add_operation(self, operation: Operation) -> None:
        """Remember what a key did."""
        self._tables.operations.add((self.here.name, operation.scope, operation.key), operation)

    # Settings

    def add_limit(self, limit: Limit) -> None:
        """A new limit; what it allows is its first change."""
        self._tables.limits.add((self.here.name, limit.id), limit)
        self._limits_changed()

    def save_limit(self, limit: Limit) -> None:
        """A limit's new revision, or its archiving."""
        self._tables.limits.put((self.here.name, limit.id), limit)
        self._limits_changed()

    def add_limit_change(self, change: LimitChange) -> None:
        """What somebody says that a limit shall allow."""
        self._tables.limit_changes.add((self.here.name, change.id), change)

    def save_limit_change(self, change: LimitChange) -> None:
        """Who has confirmed or withdrawn it, and when it begins since."""
        self._tables.limit_changes.put((self.here.name, change.id), change)

    def follow_history(self) -> tuple[str, str] | None:
        """There is no other history."""
        return None

    def save_environment(self, environment: Environment) -> None:
        """The environment's new settings."""
        row = self._tables.environments[self.here.name]
        kept = replace(environment, limits_revision=row.environment.limits_revision)
        self._tables.environments.put(self.here.name, replace(row, environment=kept))
        self.here = environment

    # Reading what only a transaction needs

    def surroundings(
        self, keys: Collection[str], credentials: Collection[str], payments: Collection[str], since: datetime
    ) -> Surroundings:
        """What is known of these operation keys, credentials and payments; siblings that succeeded after `since`."""
        name = self.here.name
        known = {key: one for key in keys if (one := self.request_by_key(name, key)) is not None}
        return Surroundings(
            known=known,
            chains=self.credential_chains(name, credentials),
            payments={one: both for one in payments if (both := self.payment(name, one)) is not None},
            siblings={one: self._siblings(one, since) for one in payments},
            external={one: self._external(name, one) for one in payments},
            freezes=self.freezes(name),
            any_expired=self.anything_expired(name, self.now),
        )

    def _siblings(self, payment: str, since: datetime) -> tuple[Sibling, ...]:
        found = [
            Sibling(one.id, one.state, one.amounts)
            for one in waiting.requests_in(self._tables, self.here.name, *OPEN_STATES, State.SUCCEEDED)
            if one.payment == payment and (one.state in OPEN_STATES or one.updated_at > since)
        ]
        forgotten = self._claimed(self.here.name, payment)
        return tuple(sorted([*found, *forgotten], key=lambda one: one.id))

    def expired_holds(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests whose approval time is over, though nobody has booked that yet."""
        return tuple(waiting.expired(self._tables, self.here.name, self.now)[:at_most])

    def expiring_holds(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests that wait, of which people are to be told that their time runs out."""
        return tuple(waiting.expiring(self._tables, self.here.name, self.now)[:at_most])

    def due(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Queued requests that may be sent now: oldest first, one per payment, none beside an unresolved one."""
        firsts: dict[str, RefundRequest] = {}
        for request in waiting.due(self._tables, self.here.name, self.now):
            firsts.setdefault(request.payment, request)
        return tuple(firsts.values())[:at_most]

    def unresolved(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests in doubt or pending at the provider that are due for a look."""
        return tuple(waiting.unresolved(self._tables, self.here.name, self.now)[:at_most])

    def lost_leases(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests whose worker did not report back in time."""
        return tuple(waiting.lost(self._tables, self.here.name, self.now)[:at_most])

    def exposed_since(self, since: datetime) -> tuple[RefundRequest, ...]:
        """Every open request, and those admitted since then that have succeeded."""
        found = [
            one
            for one in waiting.requests_in(self._tables, self.here.name, *OPEN_STATES, State.SUCCEEDED)
            if one.state in OPEN_STATES or one.created_at >= since
        ]
        return tuple(sorted(found, key=lambda one: one.id))

    def external_since(self, since: datetime) -> tuple[ExternalRefund, ...]:
        """Refunds made elsewhere that are not final yet, and those since then that have succeeded."""
        return self._external_since(self.here.name, since)

    def take_tokens(self, wanted: int) -> int:
        """Up to `wanted` provider calls that the environment's rate allows now; they count as made."""
        row = self._tables.environments[self.here.name]
        tokens = filled(row.tokens, self.here.rate_per_second, self.now - row.tokens_at)
        granted = min(wanted, int(tokens))
        left = replace(row, tokens=tokens - granted, tokens_at=self.now)
        self._tables.environments.put(self.here.name, left)
        return granted


def _held(hold: HoldRow) -> int:
    return hold.amount if hold.state == Capacity.HELD.value else 0


def _taken(request: RefundRequest) -> tuple[int, int]:
    """What a request takes of its payment: reserved and settled minor units."""
    capacity = CAPACITY[request.state]
    return (
        request.amount_minor if capacity is Capacity.HELD else 0,
        request.moved_minor if capacity is Capacity.SETTLED else 0,
    )
