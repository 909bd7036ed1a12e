"""A governed world, and clients that speak to it."""

from collections.abc import Iterator

import pytest
from flask import Flask

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from governor.api.app import ROUTES, create_app
from governor.api.openapi import build_openapi
from tests.api.contract import HeldToContract
from tests.api.people import People
from tests.api.wire import InProcess
from tests.builders import World
from tests.lasting import lasting_world

HOST = "localhost"


@pytest.fixture(scope="module")
def world(
    postgres_server: EmbeddedPostgres, migrated_template: str, redis_server: EmbeddedRedis
) -> Iterator[World]:
    """One environment for all tests of a module, which therefore use payments of their own."""
    with lasting_world(postgres_server, migrated_template, redis_server.url) as built:
        yield built


@pytest.fixture(scope="module")
def app(world: World) -> Flask:
    """The surface over the world."""
    return create_app(world.app, trusted_hosts=[HOST], cursor_key=b"k" * 32)


@pytest.fixture(scope="module")
def people(world: World, app: Flask) -> People:
    """Somebody of each role, calling the application in this process; every answer is held to the OpenAPI."""
    return People(world, HeldToContract(InProcess(app), build_openapi(ROUTES)))
