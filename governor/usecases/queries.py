"""Looking: what a caller may see, always within their own environment."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from governor.domain.admission import PaymentBook
from governor.domain.approval import ApprovalHold, Vote
from governor.domain.credentials import Credential, Role
from governor.domain.delegation import answers_for, in_tree_order
from governor.domain.environments import Environment
from governor.domain.errors import NotFound
from governor.domain.external import ExternalRefund
from governor.domain.freezes import Freeze
from governor.domain.lifecycle import FINAL_STATES
from governor.domain.limit_lines import most_at_once
from governor.domain.limits import Limit, Scope, Subject
from governor.domain.requests import RefundRequest, shown_limits
from governor.domain.windows import Span
from governor.ports.records import CounterRow, RecordedEvidence, RequestFilter
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.change_environment import existing
from governor.usecases.freeze import heard
from governor.usecases.holds import hold_of
from governor.usecases.limits_in_effect import lines_of
from governor.usecases.payment_facts import ReadPaymentFacts


@dataclass(frozen=True)
class Allowance:
    """What a caller could still get. `amount_minor` is the least of the payment's rest and every headroom."""

    payment: str | None
    currency: str
    amount_minor: int
    refundable_minor: int | None
    limits: tuple[dict[str, Any], ...]
    at: datetime


@dataclass(frozen=True)
class ShownCounter:
    """A counter with its window's end and its limit's cap."""

    row: CounterRow
    window_end: datetime | None
    cap: int


@dataclass(frozen=True)
class Queries:
    """The read models. `pause` waits some seconds between looks (the process's own event)."""

    store: UnitOfWork
    facts: ReadPaymentFacts
    pause: Callable[[float], None]
    monotonic: Callable[[], float]

    def request(self, caller: Caller, request_id: str) -> RefundRequest:
        """One refund request.

        Raises:
            NotFound: `refund_request_not_found`.
        """
        with self.store.reading() as reads:
            found = reads.request(caller.environment, request_id)
        if found is None:
            raise NotFound("refund_request_not_found", "There is no such refund request.")
        return found

    def requests(
        self, caller: Caller, chosen: RequestFilter, *, after: str | None, at_most: int
    ) -> tuple[RefundRequest, ...]:
        """Newest first."""
        with self.store.reading() as reads:
            return reads.requests(caller.environment, chosen, after=after, at_most=at_most)

    def questions(self, caller: Caller, *, at_most: int) -> tuple[RefundRequest, ...]:
        """What the caller asked for and has to answer a question about, newest first."""
        with self.store.reading() as reads:
            return reads.questions(caller.environment, caller.credential.id, at_most=at_most)

    def unresolved(
        self, caller: Caller, payment: str, *, but: str | None = None
    ) -> tuple[RefundRequest, ...]:
        """The requests of a payment, `but` this one, of which nobody knows yet whether money left."""
        with self.store.reading() as reads:
            found = reads.unresolved_of(caller.environment, payment)
        return tuple(one for one in found if one.id != but)

    def timeline(self, caller: Caller, request_id: str) -> tuple[RecordedEvidence, ...]:
        """All that was learnt from the provider about a request."""
        self.request(caller, request_id)
        with self.store.reading() as reads:
            return reads.evidence(caller.environment, request_id)

    def wait_for_final(self, caller: Caller, request_id: str, seconds: float) -> RefundRequest:
        """The request as soon as its task is over, else as it is when the time runs out.

        Giving up waiting changes nothing about the refund (invariant 16).
        """
        deadline = self.monotonic() + seconds
        step = 0.01
        while True:
            request = self.request(caller, request_id)
            left = deadline - self.monotonic()
            if request.state in FINAL_STATES or left <= 0:
                return request
            self.pause(min(step, left))
            step = min(step * 1.5, 0.25)

    def hold(self, caller: Caller, hold: str) -> tuple[ApprovalHold, tuple[tuple[Vote, datetime], ...]]:
        """A hold that needs or needed approval, with its decisions.

        Raises:
            NotFound: `hold_not_found`.
        """
        with self.store.reading() as reads:
            request = reads.request_by_hold(caller.environment, hold)
            if request is None or request.quorum == 0:
                raise NotFound("hold_not_found", "There is no such hold.")
            return hold_of(reads, request), reads.votes(caller.environment, hold)

    def votes(self, caller: Caller, request: RefundRequest) -> tuple[tuple[Vote, datetime], ...]:
        """What people decided about a request, oldest first."""
        with self.store.reading() as reads:
            return reads.votes(caller.environment, request.hold) if request.hold else ()

    def holds(
        self, caller: Caller, *, after: str | None, at_most: int
    ) -> tuple[tuple[RefundRequest, ApprovalHold], ...]:
        """What waits for approval, newest first."""
        chosen = RequestFilter(states=("pending_approval",))
        with self.store.reading() as reads:
            waiting = reads.requests(caller.environment, chosen, after=after, at_most=at_most)
            return tuple((request, hold_of(reads, request)) for request in waiting)

    def external_refunds(
        self, caller: Caller, *, after: str | None, at_most: int
    ) -> tuple[ExternalRefund, ...]:
        """Refunds that governor did not make, by id."""
        with self.store.reading() as reads:
            return reads.list_external_refunds(caller.environment, after=after, at_most=at_most)

    def now(self) -> datetime:
        """The present of all decisions (UTC)."""
        return self.store.now()

    def environment(self, caller: Caller) -> Environment:
        """The caller's own environment."""
        with self.store.reading() as reads:
            return existing(reads.environment_named(caller.environment))

    def freezes(self, caller: Caller) -> tuple[Freeze, ...]:
        """The freezes that stand, oldest first; a proposal to end one counts while its key is alive."""
        with self.store.reading() as reads:
            return heard(reads, caller.environment, reads.freezes(caller.environment), self.store.now())

    def freeze(self, caller: Caller, freeze_id: str) -> Freeze:
        """One freeze, whether it stands or has ended; a proposal to end it counts while its key is alive.

        Raises:
            NotFound: `freeze_not_found`.
        """
        with self.store.reading() as reads:
            found = reads.freeze(caller.environment, freeze_id)
            if found is None:
                raise NotFound("freeze_not_found", "There is no such freeze.")
            standing = found.ended is None
            return heard(reads, caller.environment, [found], self.store.now())[0] if standing else found

    def credentials(self, caller: Caller) -> tuple[tuple[int, Credential], ...]:
        """Credentials with their depth, children behind their parent: all, or of an agent those that are known to it.

        That is its own and those below; for somebody who signs in also the keys that they answer for.
        """
        with self.store.reading() as reads:
            if caller.role is not Role.AGENT:
                return in_tree_order(reads.credentials(caller.environment))
            known = {one.id: one for one in reads.credential_tree(caller.environment, caller.credential.id)}
            if caller.credential.person is not None:
                everybodys = reads.credentials(caller.environment)
                known |= {one.id: one for one in everybodys if answers_for(caller.credential, one)}
            return in_tree_order(known.values())

    def owners(self, caller: Caller, credentials: Collection[str]) -> dict[str, str]:
        """Who answers for these credentials, by id, whether they live or not."""
        with self.store.reading() as reads:
            chains = reads.credential_chains(caller.environment, credentials)
        return {one: chain[0].owner for one, chain in chains.items()}

    def limits(self, caller: Caller, *, archived: bool = False) -> tuple[Limit, ...]:
        """All limits, oldest first."""
        with self.store.reading() as reads:
            return reads.limits(caller.environment, archived=archived)

    def limit(self, caller: Caller, limit_id: str) -> Limit:
        """One limit.

        Raises:
            NotFound: `limit_not_found`.
        """
        with self.store.reading() as reads:
            found = reads.limit(caller.environment, limit_id)
        if found is None:
            raise NotFound("limit_not_found", "There is no such limit.")
        return found

    def counters(self, caller: Caller, limit_id: str, *, at_most: int = 100) -> tuple[ShownCounter, ...]:
        """A limit's counters, newest window first."""
        limit = self.limit(caller, limit_id)
        with self.store.reading() as reads:
            found = reads.counters(caller.environment, limit_id, at_most=at_most)
        return tuple(ShownCounter(row, _window(limit, row).end, limit.cap) for row in found)

    def allowance(self, caller: Caller, payment: str | None, currency: str) -> Allowance:
        """What the caller could still get now; no promise."""
        facts = self.facts(caller.environment, payment) if payment is not None else None
        subject = Subject(
            environment=caller.environment,
            credentials=tuple(one.id for one in caller.chain),
            agent=caller.credential.agent,
            customer=facts.customer if facts else None,
            payment=payment or "",
            case=None,
            currency=currency,
        )
        now = self.store.now()
        with self.store.reading() as reads:
            found = lines_of(reads, subject, reads.limits(caller.environment), now)
            known = reads.payment(caller.environment, payment) if payment is not None else None
        lines = tuple(line for line in found if payment or line.charge.limit.scope is not Scope.PAYMENT)
        book = known[1] if known else PaymentBook()
        refundable = book.remaining(facts.captured_minor) if facts else None
        return Allowance(
            payment, currency, most_at_once(lines, refundable), refundable, shown_limits(lines), now
        )


def _window(limit: Limit, row: CounterRow) -> Span:
    """The window a counter stands for: the one its start falls into."""
    return limit.span_at(row.window_start)
