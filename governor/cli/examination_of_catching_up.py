"""What `governor doctor` says of what the provider told: events that stay unread, and lists nobody walks any more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from governor.bootstrap import Application

TRIES: Final = 5
"""An event that was not read after so many tries, half an hour, is not only waiting for its turn."""
LATE: Final = 3
"""How many times its interval a walk may be ago: one may fail, and one may be under way."""


def unread_events(app: Application) -> Iterator[str]:
    """One sentence for each environment whose inbox has something in it that cannot be read."""
    with app.store.reading() as reads:
        names = [one.name for one in reads.environments()]
    for name in names:
        number, oldest = app.inbox.unread(name, tries=TRIES)
        if number and oldest is not None:
            yield f"{number} events of environment {name} stay unread, the oldest since {oldest:%Y-%m-%d %H:%M} UTC"


def stale_walks(app: Application) -> Iterator[str]:
    """One sentence for each of the provider's lists that was not walked to its end for too long."""
    now = app.store.now()
    every = {"events": app.catch_up.events_every, "refunds": app.catch_up.refunds_every}
    with app.store.reading() as reads:
        environments = reads.environments()
    for here in environments:
        for name, interval in every.items():
            walk = app.inbox.walk(here.name, name)
            last = walk.walked_at if walk is not None and walk.walked_at is not None else None
            if _late(now, last or here.created_at, interval):
                said = f"at {last:%Y-%m-%d %H:%M} UTC" if last else "never"
                yield f"the provider's {name} were last walked for environment {here.name}: {said}; does `governor cron` run?"


def _late(now: datetime, last: datetime, interval: timedelta) -> bool:
    return now - last > LATE * interval
