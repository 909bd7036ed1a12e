import pytest

from governor.domain.credentials import Role
from tests.api.people import People
from tests.builders import World, fresh_key


@pytest.fixture(scope="module", autouse=True)
def _limits(world: World) -> None:
    world.limit(1_000_000, approval_above=1000)


@pytest.fixture
def hold(people: People, world: World) -> str:
    asked = {"payment": world.payment(5000), "amount": 2000, "currency": "usd", "note": "it rained"}
    got = people.agent.post("/refund-requests", asked)
    assert (got.status, got.json["state"], got.json["next_action"]) == (
        202,
        "pending_approval",
        "ask_approver",
    )
    return str(got.json["hold"])


def decision(people: People, hold: str, choice: str = "approve", **fields: object) -> dict[str, object]:
    seen = people.approver.get(f"/holds/{hold}").json
    return {"decision": choice, "digest": seen["digest"], "version": seen["version"], **fields}


def test_a_hold_shows_what_its_decision_is_bound_to(people: People, hold: str) -> None:
    seen = people.approver.get(f"/holds/{hold}").json
    assert set(seen) >= {
        "id",
        "refund_request",
        "digest",
        "version",
        "quorum",
        "decisions",
        "expires_at",
        "shown",
    }
    assert (seen["shown"]["amount"], seen["shown"]["note"], seen["decisions"]) == (2000, "it rained", [])
    assert hold in [one["id"] for one in people.auditor.get("/holds?limit=100").json["data"]]


def test_an_approval_queues_the_request_and_is_shown_with_its_person(people: People, hold: str) -> None:
    got = people.approver.post(f"/holds/{hold}/decisions", decision(people, hold, reason="seen the photo"))
    assert (got.status, got.json["state"]) == (200, "queued")
    seen = people.approver.get(f"/holds/{hold}").json
    assert [(one["decision"], one["person"], one["reason"]) for one in seen["decisions"]] == [
        ("approve", "owner of approver", "seen the photo")
    ]


def test_a_rejection_ends_the_request(people: People, hold: str) -> None:
    got = people.approver.post(f"/holds/{hold}/decisions", decision(people, hold, "reject"))
    assert (got.status, got.json["state"], got.json["money_moved"]) == (200, "rejected", "no")


def test_a_decision_repeated_under_its_key_is_one_decision(people: People, hold: str) -> None:
    said, key = decision(people, hold), fresh_key()
    for _ in range(2):
        assert people.approver.post(f"/holds/{hold}/decisions", said, Idempotency_Key=key).status == 200
    assert len(people.approver.get(f"/holds/{hold}").json["decisions"]) == 1


def test_a_stale_digest_is_refused_with_what_stands_now(people: People, hold: str) -> None:
    stale = decision(people, hold) | {"digest": "sha256:" + "0" * 64}
    got = people.approver.post(f"/holds/{hold}/decisions", stale)
    assert (got.status, got.code) == (409, "hold_changed")
    assert got.json["digest"] == people.approver.get(f"/holds/{hold}").json["digest"]
    assert got.json["shown"]["amount"] == 2000


def test_an_older_version_is_refused(people: People, hold: str) -> None:
    got = people.approver.post(f"/holds/{hold}/decisions", decision(people, hold) | {"version": 99})
    assert (got.status, got.code) == (409, "hold_changed")


def test_nobody_decides_a_request_of_the_same_person(people: People, hold: str) -> None:
    same = people.somebody(Role.APPROVER, "second key", owner="owner of agent")
    got = same.post(f"/holds/{hold}/decisions", decision(people, hold))
    assert (got.status, got.code) == (403, "self_approval")


def test_a_second_decision_is_refused(people: People, hold: str) -> None:
    said = decision(people, hold)
    people.approver.post(f"/holds/{hold}/decisions", said)
    got = people.approver.post(f"/holds/{hold}/decisions", said)
    assert (got.status, got.code, got.json["state"]) == (409, "hold_already_decided", "queued")


def test_a_hold_that_nobody_knows_is_not_found(people: People, hold: str) -> None:
    assert people.approver.get("/holds/hold_nobody").code == "hold_not_found"
    assert (
        people.approver.post("/holds/hold_nobody/decisions", decision(people, hold)).code == "hold_not_found"
    )
