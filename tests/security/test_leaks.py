"""T33, T34: what is secret turns up nowhere, whatever is pasted where and whatever fails on the way."""

from dataclasses import replace

import pytest
from flask import Flask

from governor.api.app import create_app
from governor.domain.credentials import Role
from governor.logging import configure
from tests.api.conftest import app as app
from tests.api.conftest import people as people
from tests.api.conftest import world as world
from tests.api.ownership import Route, described
from tests.api.people import Person
from tests.api.samples import Call, call_of
from tests.api.scenes import stage
from tests.api.wire import Got, InProcess
from tests.builders import World, application, close
from tests.fakes.provider import FakeProvider
from tests.security.leaks import PASTED, leaked, poisoned, queue, scene_of, trail

ROUTES = sorted(described())


@pytest.fixture(scope="module", autouse=True)
def _staged(world: World) -> None:
    stage(world)


@pytest.fixture(autouse=True)
def _goes_on(world: World) -> None:
    """A call that failed on the way lets nothing go on that was halted for it."""
    with world.app.store.environment(world.environment) as tx:
        tx.save_environment(replace(tx.here, halted_reason=None, revision=tx.here.revision + 1))


@pytest.fixture(autouse=True)
def logs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> pytest.CaptureFixture[str]:
    """Everything that is logged, as programs read it."""
    monkeypatch.setenv("GOVERNOR_LOG", "json")
    configure()
    return capsys


def send(flask: Flask, method: str, key: str, call: Call) -> Got:
    return Person(InProcess(flask), key).send(method, call.path, call.body, **call.headers)


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_what_somebody_pastes_is_in_no_problem_no_log_no_trail_and_no_queue(
    world: World, app: Flask, logs: pytest.CaptureFixture[str], route: Route
) -> None:
    scene = scene_of(world, route)
    refused = 0
    for call in poisoned(call_of(route, scene, "own")):
        got = send(app, route[0], scene.key, call)
        if (
            got.status >= 400 and b'"refund_request":' not in got.body
        ):  # a decision, with its own agent's note
            refused += 1
            assert leaked(got.body.decode() + str(got.headers)) == [], call
    assert refused > 5
    said = logs.readouterr()
    assert leaked(said.out + said.err) == []
    assert leaked(trail(world)) == []
    assert leaked(queue(world)) == []


class _Revealing(RuntimeError):
    """What libraries raise, with everything they know in its text."""

    def __init__(self, *_given: object, **_named: object) -> None:
        super().__init__(PASTED)


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_an_error_that_nobody_expected_says_nothing_of_its_text(
    world: World, app: Flask, logs: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, route: Route
) -> None:
    scene = scene_of(world, route)
    call = call_of(route, scene, "own")

    def reveal(*_given: object, **_named: object) -> None:
        raise _Revealing

    with monkeypatch.context() as broken:
        for name in ("environment", "reading"):
            broken.setattr(type(world.app.store), name, reveal)
        got = send(app, route[0], scene.key, call)
    assert (got.status, got.code) == (500, "internal_error")
    said = logs.readouterr()
    assert "_Revealing" in said.err
    assert leaked(got.body.decode() + str(got.headers) + said.out + said.err) == []


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_a_database_that_is_away_is_named_without_its_password(
    world: World, logs: pytest.CaptureFixture[str], route: Route
) -> None:
    scene = scene_of(world, route)
    call = call_of(route, scene, "own")
    away = application(
        "postgresql+psycopg://canary1:canary2@127.0.0.1:1/canary3", world.redis_url, FakeProvider()
    )
    try:
        flask = create_app(away, trusted_hosts=["localhost"], cursor_key=b"k" * 32)
        got = send(flask, route[0], scene.key, call)
    finally:
        close(away)
    assert got.status == 503
    said = logs.readouterr()
    assert leaked(got.body.decode() + said.out + said.err) == []


def test_a_provider_that_fails_with_secrets_in_its_words_is_not_quoted(
    world: World, app: Flask, logs: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reveal(*_given: object, **_named: object) -> None:
        raise _Revealing

    route = ("POST", "/api/v1/unknown/<request_id>/reconcile")
    scene = scene_of(world, route)
    look = call_of(route, scene, "other")
    queued = world.request(world.caller(Role.AGENT, "asker"), world.payment(), 100)
    with monkeypatch.context() as broken:
        broken.setattr(world.provider, "create_refund", reveal)
        world.drain(queued)
        broken.setattr(world.provider, "list_refunds", reveal)
        got = send(app, "POST", scene.key, look)
    assert got.status == 500
    said = logs.readouterr()
    assert "_Revealing" in said.out + said.err
    assert leaked(got.body.decode() + said.out + said.err + trail(world) + queue(world)) == []
