"""What approvers say of holds is kept by the web's own role, and their words are read by nobody who makes reports."""

from collections.abc import Iterator

import psycopg
import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from tests.adapters.roles import Roles, in_force
from tests.builders import World, application, close, fresh_key
from tests.fakes.provider import FakeProvider


@pytest.fixture
def roles(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[Roles]:
    with in_force(postgres_server, migrated_template) as found:
        yield found


def test_the_webs_role_is_enough_for_all_that_approvers_say_of_a_hold(roles: Roles, redis_url: str) -> None:
    provider = FakeProvider()
    world = World(roles.url("governor_operator"), redis_url, provider, approval_seconds=86_400)
    web = application(roles.url("governor_web"), redis_url, provider)
    try:
        world.limit(100_000, approval_above=1000)
        hold = world.request(world.caller(), world.payment(5000), 1500, app=web).hold or ""
        ana, attention = world.approver("ana", owner="ana"), web.approval_desk.attention
        attention.snooze(ana, hold, "an_hour")
        attention.wake(ana, hold)
        attention.escalate(ana, hold, None, "Look!", fresh_key("call"))
        attention.look(ana, hold)
        (waiting,) = web.approval_desk.waiting(ana)
        assert waiting.attention.looker is not None
        assert [one.reason for one in waiting.attention.escalations] == ["Look!"]
        attention.let_go(ana, hold)
        with (
            roles.session("governor_readonly") as reports,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            reports.execute("SELECT reason FROM escalations")
    finally:
        close(web)
        world.close()
