"""Names, secrets, doorbells: the rest of the world as the core needs it."""

from __future__ import annotations

from typing import Protocol


class IdFactory(Protocol):
    """Makes ids: a prefix and a UUIDv7 inside, sorted by time, at most 40 characters."""

    def new(self, prefix: str) -> str:
        """A new id such as `rr_01jd…`."""
        ...

    def secret(self) -> str:
        """43 characters of 256 random bits, letters and digits only."""
        ...


class JobQueue(Protocol):
    """The doorbell. The database is the truth: a lost ring is rung again by a sweep."""

    def ring(self, some_id: str) -> None:
        """Ask a worker to send what is due where this request (`rr_…`) is, or to read the inbox of an event (`evt_…`).

        Raises:
            Unavailable: the queue cannot be reached; what is due stays due.
        """
        ...
