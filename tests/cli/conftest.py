from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from werkzeug.serving import make_server

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from governor.api.app import create_app
from tests.cli.story import ENVIRONMENT, Story, begin, play
from tests.cli.telling import Told, tell
from tests.servers import fresh_database
from tests.stack import settings_as_variables
from tests.twin import Twin


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin() as running:
        yield running


@pytest.fixture(scope="module")
def story(
    postgres_server: EmbeddedPostgres, redis_server: EmbeddedRedis, migrated_template: str, twin: Twin
) -> Iterator[Story]:
    """A story that has been played. Tests that change its books change a copy."""
    with fresh_database(postgres_server, migrated_template) as url:
        begun = begin(url, redis_server.url, twin)
        try:
            play(begun)
            yield begun
        finally:
            begun.app.engine.dispose()


@pytest.fixture
def here(story: Story, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Told:
    """The command line on the story's own database, by the variables GOVERNOR_*."""
    for name, value in settings_as_variables(story.app.settings).items():
        monkeypatch.setenv(name, value)
    # Some test of the module may have founded another one.
    monkeypatch.setenv("GOVERNOR_ENVIRONMENT", ENVIRONMENT)
    monkeypatch.chdir(tmp_path)
    return tell


@pytest.fixture(scope="module")
def address(story: Story) -> Iterator[str]:
    """The story's governor, answering over HTTP from a thread of this process."""
    surface = create_app(story.app, trusted_hosts=["127.0.0.1"], cursor_key=b"k" * 32)
    server = make_server("127.0.0.1", 0, surface, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def over_http(address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Told:
    """The command line as a caller of that HTTP API."""
    monkeypatch.setenv("GOVERNOR_URL", address)
    monkeypatch.chdir(tmp_path)
    return tell
