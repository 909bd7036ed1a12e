"""The world that browsers look at: the real processes on a database of their own, and the people who sign in to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import StorageState

from adapters.embedded.postgres import EmbeddedPostgres
from tests.builders import World, settings
from tests.console.crew import Crew
from tests.servers import fresh_database
from tests.stack import Stack
from tests.twin import Twin


@dataclass(frozen=True)
class Stage:
    """A world with its twin, the processes that serve and work on it, and its people."""

    world: World
    crew: Crew
    stack: Stack
    cookies: dict[str, StorageState] = field(default_factory=dict)
    """What the browser of each login keeps, once it has signed in."""

    @property
    def url(self) -> str:
        """Where the console answers. By this name a browser counts it as a secure place."""
        return f"http://localhost:{self.stack.port}"


@contextmanager
def set_up(postgres: EmbeddedPostgres, template: str, redis_url: str, folder: Path) -> Iterator[Stage]:
    """Everything that `governor up` would start, but cron, which no page waits for."""
    with (
        fresh_database(postgres, template) as database_url,
        Twin() as twin,
        Stack(settings(database_url, redis_url, provider_url=twin.url), folder) as stack,
    ):
        world = World(database_url, redis_url, twin)
        try:
            stack.start("web", "relay", "worker")
            yield Stage(world, Crew(world), stack)
        finally:
            world.close()
