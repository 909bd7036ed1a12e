"""Looking again as a run: the provider is asked about everything that nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from governor.domain.credentials import Role
from governor.domain.errors import Unavailable
from governor.usecases.callers import Caller
from governor.usecases.carrying import Carried
from governor.usecases.run_long_work import Json
from governor.usecases.run_parameters import refuse_others
from governor.usecases.unknown_desk import LOOKED_AT, UnknownDesk

LOOK_SECONDS: Final = 0.1
"""Between two looks at the provider: reads count against its rate as refunds do (STRIPE.md §6)."""

GIVE_UP_AFTER: Final = 5
"""Looks in a row at a provider that does not answer."""

PAGE: Final = 100
"""How much of the unknown desk is listed at a time."""


@dataclass(frozen=True)
class LookingAgain:
    """Ask the provider about everything on the unknown desk. Nothing is sent."""

    desk: UnknownDesk
    pause: Callable[[float], None]
    roles = frozenset({Role.OPERATOR})

    def read(self, parameters: Mapping[str, Any], now: datetime) -> Json:  # noqa: ARG002  as every work is asked
        """It is asked with nothing."""
        refuse_others(parameters, ())
        return {}

    def carry(self, caller: Caller, parameters: Mapping[str, Any], carried: Carried) -> Json:
        """How many were looked at, how many of those are no more in doubt, and how many could not be read.

        Raises:
            Unavailable: the provider does not answer, again and again.
        """
        del parameters
        total = sum(one.count for one in self.desk.totals(caller))
        seen = Counter[str]()
        silent = 0
        for number, request in enumerate(self._all(caller)):
            carried.at("asking the provider", number, max(total, number + 1))
            try:
                found = self.desk.look_now(caller, request)
                seen["still_in_doubt" if found.state in LOOKED_AT else "known_now"] += 1
                silent = 0
            except Unavailable:
                seen["not_read"] += 1
                silent += 1
                if silent >= GIVE_UP_AFTER:
                    raise
            self.pause(LOOK_SECONDS)
        told = {name: seen[name] for name in ("known_now", "still_in_doubt", "not_read")}
        return {"looked_at": sum(seen.values())} | told

    def _all(self, caller: Caller) -> Iterator[str]:
        """The ids of what is on the desk, page by page; what is known meanwhile leaves it."""
        after = None
        while page := self.desk.listed(caller, after=after, at_most=PAGE).items:
            yield from (item.request.id for item in page)
            after = page[-1].request.id
