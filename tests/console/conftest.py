"""A governed world, its console, and people in front of it."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from flask import Flask

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from governor.console.app import create_console
from governor.domain.credentials import Role
from governor.domain.errors import Unauthenticated
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew
from tests.environment import change_settings
from tests.fakes.provider import FakeProvider
from tests.lasting import lasting_world
from tests.servers import libpq


@pytest.fixture(scope="module")
def world(
    postgres_server: EmbeddedPostgres, migrated_template: str, redis_server: EmbeddedRedis
) -> Iterator[World]:
    """One environment for all tests of a module, which therefore use payments of their own."""
    with lasting_world(postgres_server, migrated_template, redis_server.url) as built:
        yield built


@pytest.fixture
def provider(world: World) -> FakeProvider:
    """The provider of the world."""
    assert isinstance(world.provider, FakeProvider)
    return world.provider


@pytest.fixture(scope="module")
def app(world: World) -> Flask:
    """The console over the world."""
    return create_console(world.app, trusted_hosts=["localhost"], key=b"k" * 32)


@pytest.fixture(scope="module")
def crew(world: World) -> Crew:
    """The people of the world."""
    return Crew(world)


@pytest.fixture(scope="module")
def visitor(world: World, app: Flask, crew: Crew) -> Callable[[Role], Visitor]:
    """Somebody of a role, signed in; the same one each time, and anew when a test has signed them out."""
    known: dict[Role, Visitor] = {}

    def is_in(one: Visitor) -> bool:
        try:
            world.app.people.sessions.of(one.cookie() or "")
        except Unauthenticated:
            return False
        return True

    def signed_in(role: Role) -> Visitor:
        one = known.setdefault(role, Visitor(app))
        if not is_in(one):
            assert one.sign_in(crew.login(role), PASSWORD).status == 200
        return one

    return signed_in


@pytest.fixture(scope="module")
def bo(crew: Crew, app: Flask) -> Visitor:
    """Another approver, signed in."""
    other = Visitor(app)
    other.sign_in(crew.somebody("bo", {"test": [Role.APPROVER]}), PASSWORD)
    return other


@pytest.fixture
def ada(app: Flask, crew: Crew) -> Visitor:
    """An agent, signed in at a browser of this test."""
    visitor = Visitor(app)
    assert visitor.sign_in(crew.login(Role.AGENT), PASSWORD).status == 200
    return visitor


@pytest.fixture
def asks(world: World) -> Iterator[Callable[..., None]]:
    """Set from how much on the environment asks for more than a click; afterwards it asks for nothing."""

    def change(*, prove: dict[str, int] | None = None, typed: dict[str, int] | None = None) -> None:
        change_settings(world, prove_above=prove or {}, type_above=typed or {})

    yield change
    change()


@pytest.fixture
def proved_long_ago(world: World) -> Callable[[], None]:
    """Make everybody's last proof of who they are an old one."""

    def age() -> None:
        with psycopg.connect(libpq(world.database_url)) as session:
            session.execute("UPDATE sessions SET confirmed_at = confirmed_at - interval '11 minutes'")

    return age
