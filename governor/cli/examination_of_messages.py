"""What `governor doctor` says of messages: endpoints that take nothing, and a trail that nobody tells."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from governor.bootstrap import Application
from governor.domain.endpoints import FAILING_AT_MOST
from governor.usecases.callers import host

LATE: Final = timedelta(minutes=5)
"""What happened is told within a second by a messenger that runs."""


def silent_endpoints(app: Application) -> Iterator[str]:
    """One sentence for each endpoint that is failing or disabled, and for each environment whose endpoints hear nothing, or not all."""
    with app.store.reading() as reads:
        names = [one.name for one in reads.environments()]
    for name in names:
        endpoints = app.messages.see.all(host(name))
        since = app.messages.tell.outgoing.untold_since(name)
        if endpoints and since is not None and app.store.now() - since > LATE:
            yield (
                f"endpoints of environment {name} hear nothing of what happened since {since:%Y-%m-%d %H:%M} UTC;"
                " does `governor messenger` run?"
            )
        passed = app.messages.see.passed_over(host(name))
        if passed is not None:
            yield (
                f"{passed.count} rows of the audit trail of environment {name}, from row {passed.first} on, could not be made"
                f" messages, the first at {passed.since:%Y-%m-%d %H:%M} UTC: no endpoint was told of them; the log of"
                " `governor messenger` says why (trail.row_passed_over)"
            )
        for one in endpoints:
            endpoint = one.endpoint
            said = f"endpoint {endpoint.id} of environment {name}, at {endpoint.place},"
            if endpoint.disabled_at is not None:
                yield f"{said} is disabled ({endpoint.disabled_reason}) since {endpoint.disabled_at:%Y-%m-%d %H:%M} UTC"
            elif endpoint.failing_since is not None:
                until = endpoint.failing_since + FAILING_AT_MOST
                yield (
                    f"{said} takes nothing since {endpoint.failing_since:%Y-%m-%d %H:%M} UTC; {one.waiting} deliveries"
                    f" wait, and it is disabled at {until:%Y-%m-%d %H:%M} UTC"
                )
