"""Waiting for a condition, with a bound."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE_SECONDS = 120.0
"""How long anything may take to start. Generous: the machine may have other things to do."""
LOOK_SECONDS = 0.05


class NotAtWorkError(RuntimeError):
    """Something of the storm did not come up in time; the message says what it said."""


def until(
    condition: Callable[[], bool], explain: Callable[[], str], seconds: float = PATIENCE_SECONDS
) -> None:
    """Looks again until it is so.

    Raises:
        NotAtWorkError: it never is.
    """
    deadline, tick = time.monotonic() + seconds, threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            raise NotAtWorkError(explain()[-2000:])
        tick.wait(LOOK_SECONDS)
