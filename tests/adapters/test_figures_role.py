"""The figures are told by a role that reads no more than they need."""

from collections.abc import Iterator

import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from governor.bootstrap import Application
from governor.domain.endpoints import EndpointKind
from governor.domain.processes import ProcessKind
from governor.metrics.collector import BooksCollector
from governor.usecases.manage_endpoints import EndpointDraft
from tests.adapters.roles import Roles, in_force
from tests.builders import World, application, close, fresh_key
from tests.fakes.provider import FakeProvider


def _told(app: Application) -> dict[tuple[str, ...], float]:
    """Every figure by its name and labels; ages go on between two looks."""
    samples = (sample for family in BooksCollector(app).collect() for sample in family.samples)
    return {
        (one.name, *one.labels.values()): 0 if one.name.endswith("_seconds") else one.value for one in samples
    }


@pytest.fixture
def roles(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[Roles]:
    with in_force(postgres_server, migrated_template) as found:
        yield found


def test_a_role_that_reads_no_requests_words_tells_the_same_figures(roles: Roles, redis_url: str) -> None:
    provider = FakeProvider()
    world = World(roles.url("governor_operator"), redis_url, provider)
    web, metrics = (
        application(roles.url(f"governor_{one}"), redis_url, provider) for one in ("web", "metrics")
    )
    worker = application(roles.url("governor_worker"), redis_url, provider)
    try:
        world.limit(100_000, approval_above=1000)
        agent = world.caller()
        for amount in (100, 1500):
            world.request(agent, world.payment(5000), amount, app=web)
        draft = EndpointDraft(EndpointKind.WEBHOOK, "https://hooks.example.com/governor", (), (), "ours")
        web.messages.endpoints.create(world.operator, draft, fresh_key("endpoint"))
        assert worker.oversight.alive(ProcessKind.WORKER)()
        worker.catch_up.events(world.environment)
        told = _told(metrics)
        assert told["governor_database_up",] == told["governor_queued", "test"] == 1
        assert told["governor_for_approval", "test"] == 1
        assert told == _told(worker), "all that a role tells which reads everything"
    finally:
        for app in (web, worker, metrics):
            close(app)
        world.close()
