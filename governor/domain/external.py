"""Refunds made elsewhere: in the Dashboard, or by another program. They take room as our own do (DESIGN §7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from governor.domain.environments import Environment
from governor.domain.evidence import how_far
from governor.domain.lifecycle import Capacity
from governor.domain.limits import Charge, Limit, Subject, charges_for
from governor.domain.payments import ProviderRefund


@dataclass(frozen=True)
class ExternalRefund:
    """A refund that no request of ours made. Amount in minor units of `currency`, times in UTC.

    It is never asked for, only noticed: it is charged to the limits even where they have no room for it.
    """

    id: str
    payment: str | None
    amount_minor: int
    currency: str
    customer: str | None
    status: str | None
    claims: str | None
    """The request that it names in its metadata, if it names one: that request is none of ours, or was denied.

    A database that was put back in time has forgotten it: asked for anew, the same refund must not be made twice.
    """
    happened_at: datetime
    seen_at: datetime
    updated_at: datetime
    request: str | None = None
    """Set when it turned out to be a request's after all: from then on the request holds the room."""

    @property
    def capacity(self) -> Capacity:
        """What it does with the room on its counters."""
        if self.request is not None or self.status in {"failed", "canceled"}:
            return Capacity.RELEASED
        return Capacity.SETTLED if self.status == "succeeded" else Capacity.HELD

    @property
    def moved_minor(self) -> int | None:
        """What has left; None when nothing has yet, or when it came back."""
        return self.amount_minor if self.capacity is Capacity.SETTLED else None

    def happened_under(self, environment: Environment) -> bool:
        """Whether there was a governor already; the provider tells whole seconds."""
        return self.happened_at >= environment.created_at.replace(microsecond=0)

    def of_request(self, request: str, now: datetime) -> ExternalRefund:
        """The same refund, known to be a request's: that one holds the room."""
        return replace(self, request=request, updated_at=now)

    def subject(self, environment: str) -> Subject:
        """The trusted values its limits are chosen by: nobody asked for it, so no agent, credential or case."""
        return Subject(environment, (), None, self.customer, self.payment, None, self.currency)

    def charges(self, environment: str, limits: tuple[Limit, ...], at: datetime) -> tuple[Charge, ...]:
        """Every counter it takes room on in the windows of `at`."""
        return charges_for(self.subject(environment), self.amount_minor, limits, at)


def noticed(refund: ProviderRefund, customer: str | None, now: datetime) -> ExternalRefund:
    """A refund made elsewhere, seen for the first time. It happened when the provider says, but not in the future."""
    return ExternalRefund(
        id=refund.id,
        payment=refund.payment,
        amount_minor=refund.amount_minor,
        currency=refund.currency,
        customer=customer,
        status=refund.status,
        claims=refund.request_id,
        happened_at=min(refund.created_at or now, now),
        seen_at=now,
        updated_at=now,
    )


def noticed_again(known: ExternalRefund, refund: ProviderRefund, now: datetime) -> ExternalRefund:
    """The same refund, seen again: an older look that comes late takes nothing back."""
    if how_far(refund.status) <= how_far(known.status):
        return known
    return replace(known, status=refund.status, updated_at=now)
