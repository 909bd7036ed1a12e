"""Limits as they stand now: each with what is taken of it, where it has one counter that says so."""

from __future__ import annotations

from dataclasses import dataclass

from governor.domain.limits import Charge, CounterKey, Limit, Scope, Usage
from governor.domain.windows import WindowKind
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.limits_in_effect import LimitsInEffect


@dataclass(frozen=True)
class Taken:
    """A limit and what is taken of it in its present window.

    `usage` is None where every value has a counter of its own, and where each request is judged by itself.
    """

    limit: Limit
    usage: Usage | None


@dataclass(frozen=True)
class LimitBoard:
    """Looking at limits, always within the caller's environment: all of them, or those that count one subject."""

    store: UnitOfWork
    in_effect: LimitsInEffect

    def __call__(self, caller: Caller) -> tuple[Taken, ...]:
        """Every limit in force, oldest first."""
        now = self.store.now()
        with self.store.reading() as reads:
            limits = reads.limits(caller.environment)
            charges = {}
            for limit in limits:
                value = caller.environment if limit.scope is Scope.ENVIRONMENT else limit.value
                if value is not None and limit.window is not WindowKind.REQUEST:
                    span = limit.span_at(now)
                    charges[limit.id] = Charge(limit, CounterKey(limit.id, value, span.start), span, 0)
            usage = reads.usage(caller.environment, charges.values())
        return tuple(
            Taken(limit, usage[charges[limit.id].key] if limit.id in charges else None) for limit in limits
        )
