"""Limits, credentials, the environment and the allowance."""

from dataclasses import replace

import pytest

from governor.domain.environments import SETTLING
from tests.api.people import People
from tests.api.wire import Got
from tests.builders import World, fresh_key

LIMIT = {
    "scope": "customer",
    "value": "cus_nobody",
    "measure": "amount",
    "currency": "usd",
    "window": "day",
    "cap": 2000,
}
LIMIT_FIELDS = set(
    """id scope value measure currency window window_days time_zone cap approval_above revision archived change
    pending""".split()
)


def test_a_limit_is_made_once_under_its_key(people: People) -> None:
    key = fresh_key()
    got = people.operator.post("/limits", LIMIT, Idempotency_Key=key)
    assert (got.status, got.headers["ETag"], set(got.json)) == (201, '"1"', LIMIT_FIELDS)
    assert got.headers["Location"] == f"/api/v1/limits/{got.json['id']}"
    again = people.operator.post("/limits", LIMIT, Idempotency_Key=key)
    assert (again.json, again.headers["Idempotent-Replayed"]) == (got.json, "true")
    assert people.operator.post("/limits", {**LIMIT, "cap": 1}, Idempotency_Key=key).status == 422
    assert got.json in people.auditor.get("/limits").json["data"]


@pytest.mark.parametrize(
    ("if_match", "status", "code"),
    [
        (None, 428, "precondition_required"),
        ("*", 412, "precondition_failed"),
        ('W/"1"', 412, "precondition_failed"),
        ("1", 412, "precondition_failed"),
        ('"1", "2"', 412, "precondition_failed"),
        ('"7"', 412, "revision_stale"),
        ('"1"', 200, None),
    ],
)
def test_a_limit_changes_only_on_the_revision_that_was_read(
    people: People, if_match: str | None, status: int, code: str | None
) -> None:
    made = people.operator.post("/limits", LIMIT).json
    headers = {} if if_match is None else {"If_Match": if_match}
    got = people.operator.send("PUT", f"/limits/{made['id']}", {**LIMIT, "cap": 900}, **headers)
    assert (got.status, got.code) == (status, code)
    now = people.operator.get(f"/limits/{made['id']}")
    assert now.json["cap"] == (900 if status == 200 else 2000)
    if code == "revision_stale":
        assert got.json["revision"] == 1
    if status == 200:
        assert got.headers["ETag"] == now.headers["ETag"] == '"2"'


def test_what_a_limit_counts_cannot_change(people: People) -> None:
    made = people.operator.post("/limits", LIMIT).json
    got = people.operator.send("PUT", f"/limits/{made['id']}", {**LIMIT, "window": "month"}, If_Match='"1"')
    assert (got.status, got.code) == (422, "limit_identity")


def test_an_archived_limit_binds_no_more(people: People) -> None:
    made = people.operator.post("/limits", LIMIT).json
    got = people.operator.send("DELETE", f"/limits/{made['id']}", If_Match='"1"')
    assert (got.status, got.json["archived"], got.headers["ETag"]) == (200, True, '"2"')
    assert made["id"] not in [one["id"] for one in people.operator.get("/limits").json["data"]]


def test_counters_and_allowance_show_what_is_taken(people: People, world: World) -> None:
    world.limit(1_000_000)
    made = people.operator.post("/limits", {**LIMIT, "value": "cus_counted", "cap": 2000}).json
    payment = world.payment(5000, customer="cus_counted")
    asked = {"payment": payment, "amount": 1500, "currency": "usd"}
    assert people.agent.post("/refund-requests", asked).status == 202
    (counter,) = people.auditor.get(f"/limits/{made['id']}/counters").json["data"]
    assert set(counter) == {"value", "window_start", "window_end", "cap", "settled", "reserved", "headroom"}
    assert [counter[name] for name in ("value", "cap", "settled", "reserved", "headroom")] == [
        "cus_counted",
        2000,
        0,
        1500,
        500,
    ]
    allowed = people.agent.get(f"/allowance?currency=usd&payment={payment}").json
    assert (allowed["amount"], allowed["refundable"], allowed["promise"]) == (500, 3500, False)


@pytest.mark.parametrize(
    "query", ["", "?currency=usd&currency=eur", "?currency=USD", "?currency=usd&payment=x"]
)
def test_an_allowance_needs_one_currency_that_exists(people: People, query: str) -> None:
    assert people.agent.get(f"/allowance{query}").code == "query_invalid"


def test_a_key_is_shown_once_and_works_until_it_is_revoked(people: People) -> None:
    draft = {"name": "helper", "role": "agent", "kind": "program", "owner": "ada"}
    key = fresh_key()
    got = people.operator.post("/credentials", draft, Idempotency_Key=key)
    assert got.status == 201
    again = people.operator.post("/credentials", draft, Idempotency_Key=key)
    assert (again.json["id"], again.json["key"], again.headers["Idempotent-Replayed"]) == (
        got.json["id"],
        None,
        "true",
    )
    helper = type(people.agent)(people.wire, got.json["key"])
    assert helper.get("/environment").status == 200
    listed = people.auditor.get("/credentials")
    assert got.json["id"] in [one["id"] for one in listed.json["data"]]
    assert got.json["key"].encode() not in listed.body
    revoked = people.operator.send("DELETE", f"/credentials/{got.json['id']}")
    assert revoked.json["revoked_at"] is not None
    assert helper.get("/environment").status == 401


def test_the_environment_changes_on_the_revision_that_was_read(people: People) -> None:
    got = people.operator.get("/environment")
    now = got.json
    draft = {"mode": "observe", "rate_per_second": 25, "approval_seconds": 7200}
    assert people.operator.send("PUT", "/environment", draft).status == 428
    stale = people.operator.send("PUT", "/environment", draft, If_Match=f'"{now["revision"] + 1}"')
    assert (stale.status, stale.json["revision"]) == (412, now["revision"])
    changed = people.operator.send("PUT", "/environment", draft, If_Match=got.headers["ETag"])
    assert (changed.status, changed.json["mode"], changed.json["approval_seconds"]) == (200, "observe", 7200)
    assert changed.headers["ETag"] == f'"{now["revision"] + 1}"'
    assert changed.json["late_limits"] == "hold", "what is left out stays"
    refusing = {**draft, "mode": "enforce", "late_limits": "refuse"}
    changed = people.operator.send("PUT", "/environment", refusing, If_Match=changed.headers["ETag"])
    assert (changed.status, changed.json["late_limits"]) == (200, "refuse")
    back = {**draft, "mode": "enforce", "late_limits": "hold"}
    assert people.operator.send("PUT", "/environment", back, If_Match=changed.headers["ETag"]).status == 200
    assert people.operator.send("PUT", "/environment", {**draft, "late_limits": "drop"}).status == 422


def test_a_request_that_a_later_limit_has_no_room_for_says_so(people: People, world: World) -> None:
    world.limit(1_000_000)
    payment = world.payment(5000, customer="cus_late")
    asked = {"payment": payment, "amount": 1500, "currency": "usd"}
    made = people.agent.post("/refund-requests", asked).json
    assert made["needs_capacity"] == []
    late = people.operator.post("/limits", {**LIMIT, "value": "cus_late", "cap": 1000}).json
    world.app.dispatch_refund.claim(world.environment, 100)
    seen = people.agent.get(f"/refund-requests/{made['id']}").json
    assert (seen["state"], seen["needs_capacity"]) == ("queued", [late["id"]])
    assert (seen["next_action"], seen["effect"], seen["money_moved"]) == ("wait", "none", "no")


def test_a_limit_can_be_sent_back_as_it_was_read_with_a_change(people: People) -> None:
    made = people.operator.post("/limits", {**LIMIT, "approval_above": 500}).json
    got = people.operator.send("PUT", f"/limits/{made['id']}", {**made, "cap": 900}, If_Match='"1"')
    assert (got.status, got.json["cap"], got.json["approval_above"]) == (200, 900, 500)
    only = people.operator.send("PUT", f"/limits/{made['id']}", {"cap": 800}, If_Match='"2"')
    assert only.status == 200
    assert only.json == {**made, "cap": 800, "revision": 3, "change": only.json["change"]}
    without = people.operator.send("PUT", f"/limits/{made['id']}", {"approval_above": None}, If_Match='"3"')
    assert (without.status, without.json["approval_above"], without.json["cap"]) == (200, None, 800)


@pytest.mark.parametrize("fixed", [{"id": "lim_other"}, {"revision": 9}, {"archived": True}])
def test_what_names_a_limit_is_not_changed_by_sending_it(people: People, fixed: dict[str, object]) -> None:
    made = people.operator.post("/limits", LIMIT).json
    got = people.operator.send("PUT", f"/limits/{made['id']}", {**made, **fixed}, If_Match='"1"')
    assert (got.status, got.code) == (422, "limit_identity")


def test_a_credential_needs_only_a_name_and_a_role(people: People) -> None:
    agent = people.operator.post("/credentials", {"name": "bot-9", "role": "agent"}).json
    assert (agent["kind"], agent["owner"], agent["agent"]) == ("program", "bot-9", "bot-9")
    approver = people.operator.post("/credentials", {"name": "eve", "role": "approver"}).json
    assert (approver["kind"], approver["owner"]) == ("human", "eve")


def test_an_operator_says_from_which_amounts_on_a_click_is_not_enough(people: People) -> None:
    asked = {"mode": "enforce", "rate_per_second": 25, "approval_seconds": 3600}

    def put(**more: object) -> Got:
        tag = people.operator.get("/environment").headers["ETag"]
        return people.operator.send("PUT", "/environment", {**asked, **more}, If_Match=tag)

    assert put(prove_above={"usd": 50_000}, type_above={"usd": 0}).status == 200
    kept = put().json
    assert (kept["prove_above"], kept["type_above"]) == ({"usd": 50_000}, {"usd": 0})
    assert put(prove_above={"dollars": 1}).json["errors"][0]["pointer"] == "/prove_above"
    assert put(type_above={"usd": -1}).status == 422
    assert put(prove_above={}, type_above={}).json["prove_above"] == {}


def test_an_operator_lets_a_halted_environment_go_on_with_a_reason(people: People, world: World) -> None:
    path, why = "/environment/acknowledge", {"reason": "seen with finance"}
    assert people.operator.post(path, why).code == "not_stopped"
    with world.app.store.environment(world.environment) as tx:
        tx.save_environment(replace(tx.here, halted_reason="overrun: rr_x", revision=tx.here.revision + 1))
    assert people.operator.post(path, {}).status == 422
    assert people.operator.post(path, {"reason": ""}).status == 422
    assert people.agent.post(path, why).code == "role_not_allowed"
    assert people.operator.get("/environment").json["halted_reason"] == "overrun: rr_x"
    got = people.operator.post(path, why)
    assert (got.status, got.json["halted_reason"], got.json["paused_reason"]) == (200, None, None)


def test_a_fenced_environment_needs_a_sweep_before_anybody_lets_it_go_on(
    people: People, world: World
) -> None:
    path, why = "/environment/acknowledge", {"reason": "looked at Stripe"}
    with world.app.store.environment(world.environment) as tx:
        tx.save_environment(replace(tx.here, fenced_at=tx.now - SETTLING, revision=tx.here.revision + 1))
    assert people.operator.get("/environment").json["fenced_at"] is not None
    refused = people.operator.post(path, why)
    assert (refused.status, refused.code) == (409, "sweep_needed")
    world.app.catch_up(world.environment)
    got = people.operator.post(path, why)
    assert (got.status, got.json["fenced_at"]) == (200, None)
