"""What `governor doctor` says of what the provider told: events that stay unread, and lists nobody walks any more."""

from __future__ import annotations

from collections.abc import Iterator

from governor.bootstrap import Application


def unread_events(app: Application) -> Iterator[str]:
    """One sentence for each environment whose inbox has something in it that cannot be read."""
    with app.store.reading() as reads:
        names = [one.name for one in reads.environments()]
    for name in names:
        unread = app.oversight.provider.unread(name)
        if unread.count and unread.since is not None:
            since = f"{unread.since:%Y-%m-%d %H:%M} UTC"
            yield f"{unread.count} events of environment {name} stay unread, the oldest since {since}"


def stale_walks(app: Application) -> Iterator[str]:
    """One sentence for each of the provider's lists that was not walked to its end for too long."""
    now = app.store.now()
    with app.store.reading() as reads:
        environments = reads.environments()
    for here in environments:
        for walk in app.oversight.provider.walks(here, now):
            if walk.is_late:
                last = walk.walked_at
                said = f"at {last:%Y-%m-%d %H:%M} UTC" if last else "never"
                yield (
                    f"the provider's {walk.list} were last walked for environment {here.name}: {said};"
                    " does `governor cron` run?"
                )
