"""Endpoints over HTTP."""

import pytest

from tests.api.endpoints import endpoints_with_room
from tests.api.people import People
from tests.builders import World, fresh_key

PATH = "/webhook-endpoints"
SLACK = "https://hooks.slack.com/services/T000/B000/very-secret"
HOOK = {"url": "https://hooks.example.com/in"}


@pytest.fixture(autouse=True)
def _none_yet(world: World) -> None:
    endpoints_with_room(world)


def test_a_secret_is_in_the_answer_that_makes_it_and_nowhere_else(people: People) -> None:
    key = fresh_key()
    made = people.operator.post(PATH, HOOK, Idempotency_Key=key)
    assert made.status == 201
    assert made.headers["Location"] == f"/api/v1{PATH}/{made.json['id']}"
    secret = made.json["secret"]
    assert secret.startswith("whsec_")
    again = people.operator.post(PATH, HOOK, Idempotency_Key=key)
    assert (again.json["id"], again.json["secret"]) == (made.json["id"], None)
    assert again.headers["Idempotent-Replayed"] == "true"
    other = people.operator.post(PATH, {"url": "https://hooks.example.com/"}, Idempotency_Key=key)
    assert other.code == "idempotency_key_reused"
    for found in (people.operator.get(PATH), people.operator.get(f"{PATH}/{made.json['id']}")):
        assert secret.encode() not in found.body
    assert people.operator.get(f"{PATH}/{made.json['id']}").json["url"] == HOOK["url"]


def test_what_opens_an_endpoint_is_in_no_row_and_no_audit_entry_as_it_is(
    people: People, world: World
) -> None:
    """T33: a dump of the database opens nothing."""
    secret = people.operator.post(PATH, HOOK).json["secret"]
    assert people.operator.post(PATH, {"kind": "slack", "url": SLACK}).status == 201
    with world.app.engine.connect() as connection:
        dump = "".join(
            str(connection.exec_driver_sql(statement).all())
            for statement in (
                "SELECT to_jsonb(e) FROM endpoints e",
                "SELECT to_jsonb(a) FROM audit a",
                "SELECT to_jsonb(o) FROM operations o",
            )
        )
    for hidden in (secret, secret.removeprefix("whsec_"), "very-secret", HOOK["url"]):
        assert hidden not in dump
        assert hidden.encode().hex() not in dump


def test_a_slack_url_is_never_shown(people: People) -> None:
    made = people.operator.post(PATH, {"kind": "slack", "url": SLACK})
    shown = people.operator.get(f"{PATH}/{made.json['id']}")
    assert (shown.json["url"], shown.json["place"]) == (None, "hooks.slack.com")
    assert b"very-secret" not in made.body + shown.body + people.operator.get(PATH).body


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"url": "http://hooks.example.com/"}, "url_refused"),
        ({"url": "https://user:pw@hooks.example.com/"}, "url_refused"),
        ({"url": "https://hooks.example.com:6379/"}, "url_refused"),
        ({"url": "https://2130706433/"}, "url_refused"),
        ({"url": "https://[::ffff:127.0.0.1]/"}, "url_refused"),
        ({"url": "http://127.0.0.1:8000/"}, "url_refused"),
        ({}, "url_missing"),
        ({"url": "https://hooks.example.com/", "to": ["eve@example.com"]}, "url_missing"),
        ({"kind": "email", "to": ["eve"]}, "to_invalid"),
        ({"kind": "email", "url": "https://hooks.example.com/"}, "url_refused"),
        ({"url": "https://hooks.example.com/", "types": ["refund.held"]}, "type_unknown"),
        ({"kind": "pigeon", "url": "https://hooks.example.com/"}, "field_malformed"),
        ({"url": "https://hooks.example.com/", "secret": "mine"}, "field_unknown"),
    ],
)
def test_what_cannot_be_an_endpoint_is_refused_and_nothing_is_made(
    people: People, wrong: dict[str, object], code: str
) -> None:
    """RELIABILITY §4.7, 148 and 149."""
    refused = people.operator.post(PATH, wrong)
    assert refused.status == 422
    assert code in {one["code"] for one in refused.json["errors"]}
    assert people.operator.get(PATH).json["data"] == []


def test_e_mail_needs_a_mail_server(people: People) -> None:
    refused = people.operator.post(PATH, {"kind": "email", "to": ["eve@example.com"]})
    assert (refused.status, refused.code) == (409, "mail_not_configured")


def test_an_environment_has_twenty_endpoints_at_most(people: People) -> None:
    for _ in range(20):
        assert people.operator.post(PATH, HOOK).status == 201
    refused = people.operator.post(PATH, HOOK)
    assert (refused.status, refused.code) == (409, "too_many_endpoints")


def test_deliveries_are_listed_in_pages_and_by_filter(people: People, world: World) -> None:
    made = people.operator.post(PATH, HOOK).json["id"]
    for _ in range(3):
        assert people.operator.post(f"{PATH}/{made}/test").status == 200
    while world.app.messages.tell():
        pass
    one = f"{PATH}/{made}/deliveries"
    first = people.operator.get(f"{one}?limit=2&type=endpoint.tested").json
    assert [len(first["data"]), first["has_more"]] == [2, True]
    rest = people.operator.get(f"{one}?limit=2&type=endpoint.tested&after={first['next_cursor']}").json
    assert [len(rest["data"]), rest["has_more"]] == [1, False]
    seen = [delivery["message"] for delivery in first["data"] + rest["data"]]
    assert seen == sorted(set(seen), reverse=True)
    assert len(people.operator.get(f"{one}?state=pending&type=endpoint.created").json["data"]) == 1
    assert people.operator.get(f"{one}?state=delivered").json["data"] == []
    for wrong in ("state=lost", "type=refund.held", "status=pending"):
        assert people.operator.get(f"{one}?{wrong}").code == "query_invalid"


def test_a_replay_is_asked_for_by_endpoint_and_message(people: People, world: World) -> None:
    made = people.operator.post(PATH, HOOK).json["id"]
    while world.app.messages.tell():
        pass
    (delivery,) = people.operator.get(f"{PATH}/{made}/deliveries").json["data"]
    replayed = people.operator.post(f"{PATH}/{made}/deliveries/{delivery['message']}/replay")
    assert (replayed.status, replayed.json["state"], replayed.json["tries"]) == (200, "pending", 0)
    for path in (
        f"{PATH}/{made}/deliveries/msg_0/replay",
        f"{PATH}/ep_0/deliveries/{delivery['message']}/replay",
    ):
        refused = people.operator.post(path)
        assert refused.status == 404
    assert people.operator.send("DELETE", f"{PATH}/{made}").json["deleted_at"] is not None
    assert people.operator.get(f"{PATH}/{made}").code == "endpoint_not_found"
