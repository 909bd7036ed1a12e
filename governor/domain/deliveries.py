"""Deliveries: one message on its way to one endpoint, tried for three days and then given up."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

_WAITS = (5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 86400)
"""Seconds before the second try, the third, and so on: three days in all."""

MOST_TRIES = len(_WAITS) + 1
"""After so many tries a delivery is given up; people may replay it."""


class DeliveryState(StrEnum):
    """PENDING waits for its time, SENDING is under way under a lease, DELIVERED was taken, GIVEN_UP was not."""

    PENDING = "pending"
    SENDING = "sending"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"


@dataclass(frozen=True)
class Receipt:
    """What became of one try. `error` is None when the endpoint took it, else a short stable word.

    `gone`: the endpoint wants nothing more, ever. `milliseconds`: how long it took.
    """

    status: int | None
    error: str | None
    milliseconds: int
    gone: bool = False


@dataclass(frozen=True)
class Delivery:
    """A message on its way to an endpoint. `due_at`: when it is tried next, or until when it may be under way (UTC).

    None when it is done, or given up.
    """

    endpoint: str
    message: str
    type: str
    object: str
    state: DeliveryState
    tries: int
    due_at: datetime | None
    created_at: datetime
    tried_at: datetime | None
    delivered_at: datetime | None
    last_status: int | None
    last_error: str | None
    last_milliseconds: int | None


def next_try_at(now: datetime, message: str, tries: int) -> datetime | None:
    """When to try again after so many tries that failed; None when it is given up.

    Up to a quarter is added, by the message's own number: what failed together does not come back together.
    """
    if tries >= MOST_TRIES:
        return None
    wait = _WAITS[tries - 1]
    share = int.from_bytes(hashlib.sha256(f"{message} {tries}".encode()).digest()[:2], "big")
    return now + timedelta(seconds=wait, milliseconds=wait * 250 * share // 65536)
