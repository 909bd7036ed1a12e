"""Judging limits that came later than the requests they count: none is sent before it was proven to fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime

from governor.domain.limits import Limit
from governor.domain.requests import RefundRequest
from governor.sim.ledger import Holder, Ledger, counted, takes, values
from governor.sim.stage import Violation


class Latecomers:
    """By hand: which requests each late limit has asked a proof of, and has not been given it."""

    def __init__(self, environment: str, ledger: Ledger, holders: Mapping[str, Holder]) -> None:
        self._environment = environment
        self._ledger = ledger
        self._holders = holders
        self._asked: defaultdict[str, set[str]] = defaultdict(set)

    def came(self, limit: Limit, at: datetime) -> None:
        """A limit that is over its cap when it comes asks everybody who is open."""
        for name, holder in self._holders.items():
            if isinstance(holder, RefundRequest) and takes(holder) == "held":
                taken = [self._taken(limit, value, holder, at) for value in self._values(limit, holder)]
                if any(one > self._ledger.cap(limit, at) for one in taken):
                    self._asked[name].add(limit.id)

    def proven(self, request: RefundRequest, at: datetime) -> None:
        """The program says that it fits: on each limit that asked, beside all but what still waits for its own proof.

        Raises:
            Violation: it does not.
        """
        asked = self._asked.pop(request.id, set())
        limits = [self._ledger.limits[one] for one in sorted(asked)]
        self._ledger.moved(request.id, [one.id for one in limits if not one.archived], at)
        for limit in (one for one in limits if not one.archived):
            waiting = {name for name in self._waiting() if limit.id in self._asked[name]}
            for value in self._values(limit, request):
                taken = self._taken(limit, value, request, at, but=waiting)
                if taken > self._ledger.cap(limit, at):
                    raise Violation("proven_without_room", f"{request.id}: {taken} of {limit}")

    def unproven(self, request: RefundRequest) -> list[str]:
        """The limits that still bind and ask a proof of it."""
        return [one for one in sorted(self._asked[request.id]) if not self._ledger.limits[one].archived]

    def _waiting(self) -> Iterator[str]:
        for name, holder in list(self._holders.items()):
            if isinstance(holder, RefundRequest) and holder.state in {"queued", "pending_approval"}:
                yield name

    def _values(self, limit: Limit, holder: Holder) -> tuple[str, ...]:
        return values(limit, self._environment, holder)

    def _taken(
        self, limit: Limit, value: str, request: RefundRequest, at: datetime, *, but: set[str] | None = None
    ) -> int:
        if counted(limit):
            return self._ledger.exposure(limit, value, at, self._holders, but=but or set())
        return request.amount_minor if limit.measure.value == "amount" else 1
