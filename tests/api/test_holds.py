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
    said = decision(people, hold, "reject", reason="no photo")
    assert [one["people"] for one in people.approver.get(f"/holds/{hold}").json["still_asked"]] == [1]
    got = people.approver.post(f"/holds/{hold}/decisions", said)
    assert (got.status, got.json["state"], got.json["money_moved"]) == (200, "rejected", "no")
    assert people.approver.get(f"/holds/{hold}").json["still_asked"] == [], "what is decided asks nobody"


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
    assert (got.json["shown"]["amount"], got.json["changes"]) == (2000, None)


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


@pytest.mark.parametrize("choice", ["reject", "return"])
@pytest.mark.parametrize("reason", [{}, {"reason": ""}, {"reason": "  "}, {"reason": "\u200b"}])
def test_a_no_and_a_question_need_words(
    people: People, hold: str, choice: str, reason: dict[str, str]
) -> None:
    got = people.approver.post(f"/holds/{hold}/decisions", decision(people, hold, choice, **reason))
    assert (got.status, got.code, got.json["errors"][0]["pointer"]) == (422, "validation_failed", "/reason")


def test_less_is_approved_with_what_was_asked_still_to_be_seen(people: People, hold: str) -> None:
    said = decision(people, hold, "approve_less", amount=1200)
    got = people.approver.post(f"/holds/{hold}/decisions", said)
    assert (got.status, got.json["state"]) == (200, "queued")
    assert (got.json["amount"], got.json["asked_amount"]) == (1200, 2000)
    timeline = people.agent.get(f"/refund-requests/{got.json['id']}?expand=timeline").json["timeline"]
    assert [(one["event"], one["amount"]) for one in timeline] == [
        ("requested", 2000),
        ("approved_less", 1200),
    ]
    seen = people.approver.get(f"/holds/{hold}").json
    assert (seen["shown"]["amount"], seen["shown"]["asked_amount"], seen["version"]) == (1200, 2000, 2)
    assert [(one["decision"], one["amount"]) for one in seen["decisions"]] == [("approve_less", 1200)]
    assert seen["approved_by"] == ["owner of approver"]


@pytest.mark.parametrize("wrong", [{}, {"amount": 2000}, {"amount": 0}, {"amount": "12"}, {"amount": 12.5}])
def test_less_must_be_less(people: People, hold: str, wrong: dict[str, object]) -> None:
    got = people.approver.post(f"/holds/{hold}/decisions", decision(people, hold, "approve_less", **wrong))
    assert (got.status, got.code, got.json["errors"][0]["pointer"]) == (422, "validation_failed", "/amount")


def test_a_question_is_asked_answered_and_shown_as_what_has_changed(people: People, hold: str) -> None:
    before = decision(people, hold)
    returned = decision(people, hold, "return", reason="which box?")
    got = people.approver.post(f"/holds/{hold}/decisions", returned)
    assert (got.status, got.json["state"], got.json["next_action"]) == (
        200,
        "pending_approval",
        "answer_question",
    )
    asked = people.agent.get(f"/refund-requests/{got.json['id']}").json
    assert (asked["question"], asked["next_action"]) == ("which box?", "answer_question")
    others = people.other_agent.get(f"/refund-requests/{got.json['id']}").json
    assert others["question"] is None, "whose request it is not need not know"
    key = fresh_key()
    path, words = f"/refund-requests/{asked['id']}/answers", {"text": "the red one"}
    told, again = (people.agent.post(path, words, Idempotency_Key=key) for _ in range(2))
    assert (told.status, again.status, again.headers["Idempotent-Replayed"]) == (200, 200, "true")
    assert (told.json["question"], told.json["next_action"]) == (None, "ask_approver")
    stale = people.approver.post(f"/holds/{hold}/decisions", before)
    assert (stale.code, stale.json["version"]) == ("hold_changed", 3)
    (change,) = stale.json["changes"]
    assert (change["member"], change["before"]) == ("conversation", [])
    assert [one["text"] for one in change["now"]] == ["which box?", "the red one"]
    path = f"/refund-requests/{asked['id']}?expand=timeline"
    others = people.other_agent.get(path).json["timeline"]
    assert [(one["event"], one["reason"]) for one in others][1:] == [("returned", None), ("answered", None)]
    timeline = people.agent.get(path).json["timeline"]
    assert [(one["event"], one["reason"]) for one in timeline] == [
        ("requested", None),
        ("returned", "which box?"),
        ("answered", "the red one"),
    ]


def test_an_answer_that_nobody_asked_for_is_refused(people: People, hold: str) -> None:
    waits = people.approver.get(f"/holds/{hold}").json["refund_request"]
    path = f"/refund-requests/{waits}/answers"
    assert people.agent.post(path, {"text": "it is the red one"}).code == "nothing_asked"
    assert people.agent.post(path, {"text": " "}).code == "validation_failed"
    assert people.other_agent.post(path, {"text": "mine"}).code == "not_yours"
    assert people.agent.post("/refund-requests/rr_nobody/answers", {"text": "?"}).status == 404


def test_a_requester_reminds_the_approvers_once_an_hour(people: People, hold: str) -> None:
    waits = people.approver.get(f"/holds/{hold}").json["refund_request"]
    path = f"/refund-requests/{waits}/nudge"
    told = people.agent.post(path, {})
    assert (told.status, told.json["id"], told.json["state"]) == (200, waits, "pending_approval")
    assert people.agent.post(path, {}).code == "nudged_already"
    assert people.other_agent.post(path, {}).code == "not_yours"
    assert people.agent.post("/refund-requests/rr_nobody/nudge", {}).status == 404
    people.approver.post(f"/holds/{hold}/decisions", decision(people, hold, "return", reason="which box?"))
    assert people.agent.post(path, {}).code == "answer_first"
