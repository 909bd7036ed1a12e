"""The development clock: moves governor's time by a number of seconds in a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path


def no_offset() -> timedelta:
    """Time as the database has it."""
    return timedelta()


@dataclass(frozen=True)
class FileOffset:
    """Re-read on each use, so that a test or a demo moves every process at once."""

    path: Path

    def __call__(self) -> timedelta:
        """The seconds in the file; none when it is missing or empty.

        Raises:
            ValueError: the file holds anything but a number of seconds.
        """
        try:
            text = self.path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return timedelta()
        return timedelta(seconds=float(text or "0"))
