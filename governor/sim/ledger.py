"""A second set of books, kept by hand: who took what of which limit, and in which window.

It shares nothing with the code it judges: states, scopes and windows are spelled a second time here, and every
sum is taken anew from the requests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from governor.domain.external import ExternalRefund
from governor.domain.limit_changes import LimitChange
from governor.domain.limits import CounterKey, Limit
from governor.domain.requests import RefundRequest

HOLDING = {"pending_approval", "queued", "dispatching", "unknown", "provider_pending"}
SETTLED = {"succeeded"}

Holder = RefundRequest | ExternalRefund
Place = tuple[str, str, str]
"""A counter by hand: limit, scope value, and the window in words."""


def takes(holder: Holder) -> str:
    """What a refund does with its room, by its own word."""
    if isinstance(holder, RefundRequest):
        state = holder.state
        return "held" if state in HOLDING else "settled" if state in SETTLED else "nothing"
    if holder.request is not None or holder.status in {"failed", "canceled"}:
        return "nothing"
    return "settled" if holder.status == "succeeded" else "held"


def values(limit: Limit, environment: str, holder: Holder) -> tuple[str, ...]:
    """The scope values of a limit that a refund counts for; none when the limit does not apply."""
    if limit.currency not in {None, holder.currency}:
        return ()
    ours = holder if isinstance(holder, RefundRequest) else None
    found: dict[str, tuple[str | None, ...]] = {
        "environment": (environment,),
        "credential": ours.credentials if ours else (),
        "agent": (ours.agent,) if ours else (),
        "customer": (holder.customer,),
        "payment": (holder.payment,),
        "case": (ours.case,) if ours else (),
    }
    mine = (value for value in found[limit.scope.value] if value is not None)
    return tuple(value for value in mine if limit.value in {None, value})


def day(limit: Limit, at: datetime) -> date:
    """The local day of a limit."""
    return at.astimezone(ZoneInfo(limit.time_zone)).date()


def window(limit: Limit, at: datetime) -> str:
    """The window that a moment falls into, in words."""
    kind = limit.window.value
    if kind == "lifetime":
        return "always"
    local = day(limit, at)
    return f"{local:%Y-%m}" if kind == "month" else local.isoformat()


def counted(limit: Limit) -> bool:
    """Whether a limit adds anything up."""
    return limit.window.value != "request"


def _said_at(change: LimitChange) -> tuple[datetime, datetime | None, str]:
    return change.effective_at, change.decided_at, change.id


@dataclass(frozen=True)
class Share:
    """What one refund took of one counter, in the measure of the limit."""

    holder: str
    place: Place
    amount: int
    counts: bool


class Ledger:
    """Every share that was ever taken. What became of it follows from what became of its holder."""

    def __init__(self, environment: str) -> None:
        self._environment = environment
        self._shares: list[Share] = []
        self.limits: dict[str, Limit] = {}
        self.said: Collection[LimitChange] = ()
        """Everything that was ever said of what a limit allows."""

    def cap(self, limit: Limit, at: datetime) -> int:
        """What a limit allows at a moment: by the last word that has begun and is not over, else by its first."""
        mine = [one for one in self.said if one.limit == limit.id and not one.archives]
        said = sorted((one for one in mine if one.decided_at and not one.withdrawn), key=_said_at)
        begun = [one for one in said if one.effective_at <= at and (one.until is None or at < one.until)]
        return (begun or said[:1])[-1].cap

    def took(self, holder: Holder, at: datetime, limits: Iterable[Limit]) -> None:
        """A refund was admitted, or noticed, at that moment and counts for all of these limits."""
        for limit in limits:
            self._share(holder, limit, window(limit, at))

    def created(self, limit: Limit, at: datetime, holders: Iterable[tuple[Holder, datetime]]) -> None:
        """A limit came later than these refunds, which took their room at the given times (invariant 12).

        What is open counts in any case; what was open before the window counts from its beginning.
        """
        oldest = self._windows(limit, at)[-1]
        for holder, since in holders:
            standing, mine = takes(holder), window(limit, since)
            if standing == "held" or (standing == "settled" and mine >= oldest):
                self._share(holder, limit, max(mine, oldest))

    def moved(self, holder: str, limits: Collection[str], at: datetime) -> None:
        """What a refund holds of these limits counts in the window of this moment from now on."""
        for n, share in enumerate(self._shares):
            limit, value, _ = share.place
            if share.holder == holder and limit in limits:
                self._shares[n] = replace(share, place=(limit, value, window(self.limits[limit], at)))

    def _share(self, holder: Holder, limit: Limit, when: str) -> None:
        counts = limit.measure.value == "count"
        for value in values(limit, self._environment, holder) if counted(limit) else ():
            amount = 1 if counts else holder.amount_minor
            self._shares.append(Share(holder.id, (limit.id, value, when), amount, counts))

    @staticmethod
    def _windows(limit: Limit, at: datetime) -> list[str]:
        """The windows whose sum a limit looks at, the present one first."""
        earlier = range(1, limit.window_days or 1)
        return [
            window(limit, at),
            *((day(limit, at) - timedelta(days=back)).isoformat() for back in earlier),
        ]

    def exposure(
        self,
        limit: Limit,
        value: str,
        at: datetime,
        holders: Mapping[str, Holder],
        *,
        but: Collection[str] = (),
    ) -> int:
        """What is taken of a limit at a moment, by all but these."""
        places = {(limit.id, value, one) for one in self._windows(limit, at)}
        shares = (one for one in self._shares if one.place in places and one.holder not in but)
        return sum(sum(self._standing(share, holders)) for share in shares)

    def sums(self, holders: Mapping[str, Holder]) -> dict[Place, tuple[int, int]]:
        """What each counter must show: reserved and settled; those with nothing are left out."""
        found: defaultdict[Place, list[int]] = defaultdict(lambda: [0, 0])
        for share in self._shares:
            reserved, settled = self._standing(share, holders)
            found[share.place][0] += reserved
            found[share.place][1] += settled
        return {place: (one[0], one[1]) for place, one in found.items() if any(one)}

    def place(self, key: CounterKey) -> Place:
        """A counter of the books, by hand. A window begins when its first day does."""
        limit = self.limits[key.limit]
        return key.limit, key.value, window(limit, key.window_start)

    def _standing(self, share: Share, holders: Mapping[str, Holder]) -> tuple[int, int]:
        holder = holders[share.holder]
        standing = takes(holder)
        if standing == "held":
            # Less than was taken at first, where an approver has allowed less.
            return (share.amount if share.counts else holder.amount_minor), 0
        if standing != "settled":
            return 0, 0
        moved = holder.moved_minor if isinstance(holder, RefundRequest) else holder.amount_minor
        return 0, share.amount if share.counts else moved
