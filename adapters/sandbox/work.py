"""One piece of work: where it happens and whose call caused it."""

from dataclasses import dataclass

from adapters.sandbox.shelf import Document
from adapters.sandbox.world import Account, World


@dataclass(frozen=True)
class Work:
    """The account at work. Without a request id nobody's call caused it: a bank, the Dashboard, time."""

    world: World
    account: Account
    request_id: str | None = None
    idempotency_key: str | None = None
    age_seconds: int = 0
    """How long ago it happened, for a world that shall have a past."""

    @property
    def now(self) -> int:
        """When it happens, in seconds since the epoch, UTC: in the twin's present, less its age."""
        return self.world.clock.now() - self.age_seconds

    @property
    def cause(self) -> Document:
        """``event.request``: both null when no call caused it (INDEX.md, 27)."""
        return {"id": self.request_id, "idempotency_key": self.idempotency_key}
