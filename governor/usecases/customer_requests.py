"""What else was asked for one customer lately: what adds up, what is still open, what may be one refund that was split."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.domain.lifecycle import OPEN_STATES
from governor.domain.requests import RefundRequest
from governor.domain.splits import JustUnder, just_under, thresholds
from governor.ports.approvals import Approvals
from governor.ports.store import UnitOfWork

LOOKED_BACK = timedelta(days=30)
"""How far back a record and look-alikes are looked for."""

AT_MOST = 200
"""How many requests are looked at: the newest."""

SPLIT_WITHIN = timedelta(hours=2)
"""Several requests for one customer so close together may be one that was split."""


@dataclass(frozen=True)
class CustomerRequests:
    """The other requests for the customer of `request`, newest first; none when its payment names no customer.

    `just_under` says how many of those close together, this one counted, stay just under an amount at which people
    are asked.
    """

    request: RefundRequest
    others: tuple[RefundRequest, ...]
    just_under: JustUnder | None = None

    @property
    def close_together(self) -> tuple[RefundRequest, ...]:
        """Those that were asked for around this one."""
        at = self.request.created_at
        return tuple(one for one in self.others if abs(one.created_at - at) <= SPLIT_WITHIN)

    @property
    def open(self) -> tuple[RefundRequest, ...]:
        """Those that are not over yet."""
        return tuple(one for one in self.others if one.state in OPEN_STATES)

    @property
    def sum_minor(self) -> int:
        """What leaves for the customer with this one, in its currency: what has left lately, and what still may."""
        others = (one for one in self.others if one.currency == self.request.currency)
        taken = (one.amount_minor if one.state in OPEN_STATES else one.moved_minor for one in others)
        return self.request.amount_minor + sum(taken)

    @property
    def whole(self) -> bool:
        """Whether these are all there were."""
        return len(self.others) < AT_MOST - 1


def customer_requests(
    store: UnitOfWork, approvals: Approvals, request: RefundRequest, now: datetime
) -> CustomerRequests:
    """What was asked for its customer in the last 30 days."""
    if request.customer is None:
        return CustomerRequests(request, ())
    since = now - LOOKED_BACK
    found = approvals.of_customer(request.environment, request.customer, since, at_most=AT_MOST)
    seen = CustomerRequests(request, tuple(one for one in found if one.id != request.id))
    together = [one for one in (request, *seen.close_together) if one.currency == request.currency]
    if len(together) == 1:
        return seen
    with store.reading() as reads:
        limits, rules = reads.limits(request.environment), reads.rules(request.environment)
    asking = thresholds(limits, rules, request.currency, now)
    return CustomerRequests(request, seen.others, just_under(together, asking))
