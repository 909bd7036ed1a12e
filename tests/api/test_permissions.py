"""Who may do what, written a second time by hand in tests/api/ownership.py: a change of the table must be a change there too."""

import re

import psycopg
import pytest
from flask import Flask

from governor.api.permissions import ALLOWED, PUBLIC
from governor.domain.credentials import Role
from tests.api.ownership import described
from tests.api.people import People
from tests.api.samples import has_maker
from tests.builders import World
from tests.servers import libpq

WITHOUT_A_KEY = {
    ("GET", "/livez"),
    ("GET", "/readyz"),
    ("GET", "/api/v1/openapi.json"),
    ("GET", "/api/docs"),
    ("GET", "/api/docs/<asset>"),
    ("POST", "/webhooks/stripe/<environment>"),
}


def _routes(app: Flask) -> set[tuple[str, str]]:
    return {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD"}
    }


def test_the_table_says_what_was_meant() -> None:
    missing = sorted(set(ALLOWED) - set(described()))
    assert not missing, f"say in tests/api/ownership.py who gets what of whose by {missing}"
    assert dict(ALLOWED) == described()


def test_a_sound_call_of_every_route_is_known() -> None:
    unknown = sorted(route for route in described() if not has_maker(route))
    assert not unknown, f"say in tests/api/samples.py how these are called: {unknown}"


def test_every_route_is_in_the_table_or_knowingly_public(app: Flask) -> None:
    assert _routes(app) == set(described()) | WITHOUT_A_KEY
    assert WITHOUT_A_KEY == PUBLIC


@pytest.mark.parametrize(("method", "rule"), sorted(described()))
def test_nothing_of_the_table_is_answered_without_a_key(people: People, method: str, rule: str) -> None:
    path = re.sub("<[^>]*>", "nobody", rule.removeprefix("/api/v1"))
    got = people.agent.send(method, path, Authorization="Bearer gvk_test_nobody")
    assert (got.status, got.code) == (401, "credential_invalid")
    assert got.headers["WWW-Authenticate"] == 'Bearer realm="governor", error="invalid_token"'


def test_an_attempt_at_more_than_ones_role_is_audited_and_a_look_in_vain_is_not(
    people: People, world: World
) -> None:
    def refusals() -> list[tuple[str, str]]:
        with psycopg.connect(libpq(world.database_url)) as session:
            return session.execute(
                "SELECT actor, object FROM audit WHERE action = 'permission.refused' ORDER BY seq"
            ).fetchall()

    stranger = people.somebody(Role.AGENT, "curious agent")
    me = world.app.authenticate(stranger.key).credential.id
    assert stranger.post("/limits", {}).status == 403
    assert stranger.get("/limits").status == 403
    assert [row for row in refusals() if row[0] == me] == [(me, "post_limits")]
