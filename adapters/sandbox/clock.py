"""The twin's clock: the machine's, moved forward by whoever drives the twin."""

import time


def wall_seconds() -> int:
    """Seconds since the epoch, UTC, by the machine's clock.

    Webhook signatures use this one, because their receiver compares them with its own clock.
    """
    return int(time.time())  # noqa: TID251 - the twin is a program of its own and may not ask governor's port


class Clock:
    """Whole seconds since the epoch, UTC, ahead of the machine by ``offset_seconds``. It never goes back."""

    def __init__(self) -> None:
        self.offset_seconds = 0

    def now(self) -> int:
        """The twin's present, in seconds since the epoch, UTC."""
        return wall_seconds() + self.offset_seconds

    def advance(self, seconds: int) -> None:
        """Moves the present ``seconds`` forward.

        Raises:
            ValueError: for a negative number, because objects are listed in the order of their creation.
        """
        if seconds < 0:
            raise ValueError("the clock only moves forward")
        self.offset_seconds += seconds
