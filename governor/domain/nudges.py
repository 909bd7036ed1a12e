"""A nudge: whoever asked for a refund reminds those who must decide about it. It is told, and changes nothing."""

from __future__ import annotations

from datetime import datetime, timedelta

from governor.domain.errors import Conflict

APART = timedelta(hours=1)
"""A reminder that comes all the time is no reminder. Of one hold, whoever sends it."""


def refuse_soon(last: datetime | None, now: datetime) -> None:
    """Refuse a nudge that comes too soon after the last one of the same hold.

    Raises:
        Conflict: `nudged_already`.
    """
    if last is not None and now < last + APART:
        raise Conflict("nudged_already", "Approvers were reminded of it less than an hour ago.")
