"""What was said of a limit, and what was taken of it, over HTTP."""

from datetime import timedelta

from tests.api.people import People
from tests.builders import World, fresh_key
from tests.stack import eventually

LIMIT = {
    "scope": "customer",
    "value": "cus_nobody",
    "measure": "amount",
    "currency": "usd",
    "window": "day",
    "cap": 2000,
}


FAR = "2099-01-01T00:00:00Z"
CUT: dict[str, dict[str, int]] = {"PUT": {"cap": 500}, "DELETE": {}}


def test_a_change_for_a_time_is_said_shown_and_withdrawn(people: People) -> None:
    made = people.operator.post("/limits", {**LIMIT, "reason": "roll-out"}).json
    path = f"/limits/{made['id']}"
    later = {"cap": 5000, "effective_at": "2098-01-01T00:00:00Z", "until": "2099-01-01T00:00:00Z"}
    got = people.operator.send("PUT", path, {**later, "reason": "sale"}, If_Match='"1"')
    (pending,) = got.json["pending"]
    assert (got.json["cap"], got.json["revision"]) == (2000, 2)
    assert [pending[name] for name in ("cap", "standing", "raises", "until")] == [
        5000,
        "to_come",
        True,
        "2099-01-01T00:00:00Z",
    ]
    assert pending["proposed"]["reason"] == "sale"
    back = people.operator.send("PUT", path, {**got.json, "cap": 1500}, If_Match='"2"')
    assert (back.status, back.json["cap"], len(back.json["pending"])) == (200, 1500, 1), "as it was read"
    key = fresh_key()
    withdrawal = f"{path}/changes/{pending['id']}/withdraw"
    for replayed in (None, "true"):
        withdrawn = people.operator.post(withdrawal, {"reason": "no"}, Idempotency_Key=key)
        assert (withdrawn.status, withdrawn.json["pending"]) == (200, [])
        assert withdrawn.headers.get("Idempotent-Replayed") == replayed
    assert people.operator.post(withdrawal).code == "limit_change_not_pending"
    first = people.auditor.get(f"{path}/changes?limit=2").json
    rest = people.auditor.get(f"{path}/changes?limit=2&after={first['next_cursor']}").json
    told = [(one["cap"], one["standing"]) for one in (*first["data"], *rest["data"])]
    assert told == [(1500, "in_force"), (5000, "withdrawn"), (2000, "past")]
    assert (rest["has_more"], rest["data"][0]["proposed"]["reason"]) == (False, "roll-out")
    assert (
        people.operator.send("PUT", path, {"cap": 1, "until": "2020-01-01T00:00:00Z"}, If_Match='"4"').status
        == 422
    )


def test_an_etag_of_before_a_change_began_is_stale_when_it_has(people: People, world: World) -> None:
    """Time alone changes what is allowed, and no revision tells of it."""
    path = f"/limits/{people.operator.post('/limits', LIMIT).json['id']}"
    begins = (world.app.store.now() + timedelta(seconds=2)).isoformat().replace("+00:00", "Z")
    said = people.operator.send(
        "PUT", path, {"cap": 900, "effective_at": begins, "until": FAR}, If_Match='"1"'
    )
    before = said.headers["ETag"]
    assert people.auditor.get(path).headers["ETag"] == before
    eventually(lambda: people.auditor.get(path).json["cap"] == 900)
    now = people.auditor.get(path)
    assert (now.json["revision"], now.headers["ETag"] == before) == (said.json["revision"], False)
    for method in ("PUT", "DELETE"):
        stale = people.operator.send(method, path, {"reason": "as read"} | CUT[method], If_Match=before)
        assert (stale.status, stale.code, stale.json["revision"]) == (412, "revision_stale", 2)
    other = people.operator.send("PUT", "/environment", {}, If_Match=before)
    assert (other.status, other.code) in {(412, "precondition_failed"), (422, "validation_failed")}
    cut = people.operator.send("PUT", path, CUT["PUT"], If_Match=now.headers["ETag"])
    assert (cut.status, cut.json["pending"], cut.headers["ETag"]) == (200, [], '"3"')


def test_the_exposure_of_a_limit_is_shown_window_by_window(people: People, world: World) -> None:
    world.limit(1_000_000)
    made = people.operator.post("/limits", {**LIMIT, "value": None, "cap": 3000}).json
    for customer, amount in (("cus_s1", 700), ("cus_s2", 1100)):
        payment = world.payment(5000, customer=customer)
        asked = {"payment": payment, "amount": amount, "currency": "usd"}
        assert people.agent.post("/refund-requests", asked).status == 202
    (point,) = people.auditor.get(f"/limits/{made['id']}/exposure").json["data"]
    assert [point[name] for name in ("cap", "settled", "reserved", "counters", "most")] == [
        3000,
        0,
        1800,
        2,
        1100,
    ]
    (one,) = people.auditor.get(f"/limits/{made['id']}/exposure?value=cus_s1").json["data"]
    assert (one["reserved"], one["counters"]) == (700, 1)
