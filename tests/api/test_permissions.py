"""Who may do what, written a second time by hand: a change of the table must be a change here too."""

import re

import psycopg
import pytest
from flask import Flask

from governor.api.permissions import ALLOWED, PUBLIC
from governor.domain.credentials import Role
from tests.api.people import People
from tests.builders import World
from tests.servers import libpq

# Every route that needs a key, and who may call it: a(gent), p (approver), o(perator), u (auditor).
TABLE = """
    POST    /api/v1/refund-requests                          a
    POST    /api/v1/refund-requests/preview                  a
    POST    /api/v1/refund-requests/<request_id>/cancel      a o
    GET     /api/v1/refund-requests                          a p o u
    GET     /api/v1/refund-requests/<request_id>             a p o u
    POST    /api/v1/refund-batches                           a
    GET     /api/v1/allowance                                a
    GET     /api/v1/holds                                    p o u
    GET     /api/v1/holds/<hold_id>                          p o u
    POST    /api/v1/holds/<hold_id>/decisions                p
    GET     /api/v1/unknown                                  o u
    GET     /api/v1/unknown/<request_id>                     o u
    POST    /api/v1/unknown/<request_id>/reconcile           o
    POST    /api/v1/unknown/<request_id>/resolutions         o
    GET     /api/v1/limits                                   p o u
    POST    /api/v1/limits                                   o
    GET     /api/v1/limits/<limit_id>                        p o u
    PUT     /api/v1/limits/<limit_id>                        o
    DELETE  /api/v1/limits/<limit_id>                        o
    GET     /api/v1/limits/<limit_id>/counters               p o u
    GET     /api/v1/credentials                              a o u
    POST    /api/v1/credentials                              a o
    POST    /api/v1/credentials/<credential_id>/rotate       a p o u
    DELETE  /api/v1/credentials/<credential_id>              a o
    GET     /api/v1/environment                              a p o u
    PUT     /api/v1/environment                              o
    POST    /api/v1/environment/acknowledge                  o
    POST    /api/v1/environment/freeze                       o
    POST    /api/v1/environment/unfreeze                     o
    GET     /api/v1/freezes                                  p o u
    GET     /api/v1/reports/reconciliation                   o u
    GET     /api/v1/external-refunds                         p o u
    GET     /api/v1/audit                                    o u
    GET     /api/v1/audit/verify                             o u
    GET     /api/v1/audit/export                             o u
    GET     /api/v1/audit/manifest                           o u
"""
WITHOUT_A_KEY = {
    ("GET", "/livez"),
    ("GET", "/readyz"),
    ("GET", "/api/v1/openapi.json"),
    ("GET", "/api/docs"),
    ("GET", "/api/docs/<asset>"),
    ("POST", "/webhooks/stripe/<environment>"),
}
LETTERS = {"a": Role.AGENT, "p": Role.APPROVER, "o": Role.OPERATOR, "u": Role.AUDITOR}


def _by_hand() -> dict[tuple[str, str], frozenset[Role]]:
    rows = [line.split() for line in TABLE.strip().splitlines()]
    return {(method, rule): frozenset(LETTERS[one] for one in roles) for method, rule, *roles in rows}


def _routes(app: Flask) -> set[tuple[str, str]]:
    return {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD"}
    }


def test_the_table_says_what_was_meant() -> None:
    assert dict(ALLOWED) == _by_hand()


def test_every_route_is_in_the_table_or_knowingly_public(app: Flask) -> None:
    assert _routes(app) == set(_by_hand()) | WITHOUT_A_KEY
    assert WITHOUT_A_KEY == PUBLIC


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize(("method", "rule"), sorted(_by_hand()))
def test_a_role_gets_through_where_the_table_says_so_and_nowhere_else(
    people: People, method: str, rule: str, role: Role
) -> None:
    path = re.sub("<.*>", "nobody", rule.removeprefix("/api/v1"))
    got = people.with_role(role).send(method, path, {} if method in {"POST", "PUT"} else None)
    if role in _by_hand()[(method, rule)]:
        assert got.code != "role_not_allowed"
        assert got.status not in {401, 403}
    else:
        assert (got.status, got.code) == (403, "role_not_allowed")


@pytest.mark.parametrize(("method", "rule"), sorted(_by_hand()))
def test_nothing_of_the_table_is_answered_without_a_key(people: People, method: str, rule: str) -> None:
    path = re.sub("<.*>", "nobody", rule.removeprefix("/api/v1"))
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


def test_nothing_of_another_environment_can_be_found(people: People, world: World) -> None:
    limit = world.limit(1_000_000)
    asked = {"payment": world.payment(5000), "amount": 100, "currency": "usd"}
    made = people.agent.post("/refund-requests", asked).json
    elsewhere = World(world.database_url, world.redis_url, world.provider, environment="elsewhere")
    strangers = People(elsewhere, people.wire)
    try:
        for person, path in (
            (strangers.auditor, f"/refund-requests/{made['id']}"),
            (strangers.approver, f"/holds/{made['hold']}"),
            (strangers.operator, f"/limits/{limit.id}"),
            (strangers.operator, f"/limits/{limit.id}/counters"),
        ):
            assert person.get(path).status == 404
        assert strangers.agent.post(f"/refund-requests/{made['id']}/cancel").status == 404
        assert strangers.operator.send("DELETE", f"/limits/{limit.id}", If_Match='"1"').status == 404
        assert strangers.operator.send("DELETE", f"/credentials/{made['requested_by']}").status == 404
        repeat = {**asked, "duplicate_of": made["id"], "note": "again"}
        assert strangers.supporter.post("/refund-requests/preview", repeat).code == "refund_request_not_found"
        assert strangers.auditor.get("/refund-requests").json["data"] == []
    finally:
        elsewhere.close()
