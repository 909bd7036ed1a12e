"""Requests that wait for somebody: to be sent, decided, looked at, or taken over. First due, first shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from adapters.memory.tables import Tables
from governor.domain.freezes import Freeze, frozen_by
from governor.domain.lifecycle import UNRESOLVED_STATES, State
from governor.domain.requests import RefundRequest

Requests = list[RefundRequest]


def requests_in(tables: Tables, environment: str, *states: State) -> Iterator[RefundRequest]:
    """The requests of an environment; of these states only, if any is named."""
    for (env, _), request in tables.requests.items():
        if env == environment and (not states or request.state in states):
            yield request


def queued(tables: Tables, environment: str, now: datetime) -> Requests:
    """Queued requests whose time has come."""
    return _over(requests_in(tables, environment, State.QUEUED), lambda one: one.due_at, now)


def due(tables: Tables, environment: str, now: datetime) -> Requests:
    """Those of them that may be sent: none that is frozen, none beside an unresolved one of the same payment."""
    busy = {one.payment for one in requests_in(tables, environment, *UNRESOLVED_STATES)}
    freezes = standing_freezes(tables, environment)
    return [
        one
        for one in queued(tables, environment, now)
        if one.payment not in busy and frozen_by(freezes, one.subject) is None
    ]


def standing_freezes(tables: Tables, environment: str) -> tuple[Freeze, ...]:
    """The freezes that stand, oldest first."""
    found = (freeze for (env, _), freeze in tables.freezes.items() if env == environment)
    return tuple(sorted((one for one in found if one.ended is None), key=lambda one: one.id))


def expired(tables: Tables, environment: str, now: datetime) -> Requests:
    """Requests whose time for approval is over."""
    return _over(requests_in(tables, environment, State.PENDING_APPROVAL), lambda one: one.expires_at, now)


def expiring(tables: Tables, environment: str, now: datetime) -> Requests:
    """Requests of which people are to be told that their time for approval runs out."""
    return _over(requests_in(tables, environment, State.PENDING_APPROVAL), lambda one: one.expiring_at, now)


def unresolved(tables: Tables, environment: str, now: datetime) -> Requests:
    """Requests in doubt or pending at the provider that are due for a look."""
    doubtful = requests_in(tables, environment, State.UNKNOWN, State.PROVIDER_PENDING)
    return _over(doubtful, lambda one: one.due_at, now)


def lost(tables: Tables, environment: str, now: datetime) -> Requests:
    """Requests whose lease has run out."""
    return _over(requests_in(tables, environment, State.DISPATCHING), lambda one: one.lease_until, now)


def _over(
    requests: Iterator[RefundRequest], until: Callable[[RefundRequest], datetime | None], now: datetime
) -> Requests:
    timed = [(at, one.id, one) for one in requests if (at := until(one)) is not None and at <= now]
    return [one for _, _, one in sorted(timed, key=lambda row: row[:2])]
