"""A world that lasts for all tests of a module, for surfaces that are looked at many times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from adapters.embedded.postgres import EmbeddedPostgres
from tests.builders import World
from tests.fakes.provider import FakeProvider
from tests.servers import fresh_database


@contextmanager
def lasting_world(server: EmbeddedPostgres, template: str, redis_url: str) -> Iterator[World]:
    """One environment on a database of its own; its tests use payments of their own."""
    with fresh_database(server, template) as url:
        built = World(url, redis_url, FakeProvider())
        yield built
        built.close()
