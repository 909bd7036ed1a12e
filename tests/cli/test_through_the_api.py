import json
from pathlib import Path

import pytest

from governor.cli import two_agents
from governor.cli.up.data_folder import Demo
from tests.cli.story import Story
from tests.cli.telling import Told, tell


def _ask(payment: str, amount: str = "300") -> tuple[str, ...]:
    return ("refund", "request", "--payment", payment, "--amount", amount, "--currency", "usd", "--json")


def test_the_same_words_are_one_intent_and_another_key_is_another(over_http: Told, story: Story) -> None:
    payment, key = story.twin.payment(5000, customer="cus_7"), story.keys["agent"]
    first = over_http(*_ask(payment), GOVERNOR_KEY=key)
    again = over_http(*_ask(payment), GOVERNOR_KEY=key)
    assert (first.code, again.code) == (0, 0)
    assert first.value["id"] == again.value["id"]
    assert first.value["state"] == "queued"
    other = over_http(*_ask(payment, "400"), "--operation-key", "another-intent", GOVERNOR_KEY=key)
    assert other.value["id"] != first.value["id"]
    assert other.value["operation_key"] == "another-intent"
    listed = over_http(
        "refund", "list", "--payment", payment, "--state", "queued", "--json", GOVERNOR_KEY=key
    )
    assert [one["id"] for one in listed.value["data"]] == [other.value["id"], first.value["id"]]
    canceled = over_http("refund", "cancel", first.value["id"], "--json", GOVERNOR_KEY=key)
    assert (canceled.code, canceled.value["state"]) == (0, "canceled")


def test_a_denial_shows_its_sum_and_says_when_it_was_decided_earlier(over_http: Told, story: Story) -> None:
    payment, key = story.twin.payment(200_000, customer="cus_8"), story.keys["agent"]
    denied = over_http(*_ask(payment, "150000")[:-1], GOVERNOR_KEY=key)
    assert denied.code == 1
    assert "(limit_exceeded)" in denied.text
    assert "cap 100000 - settled " in denied.text
    assert "asked 150000: no room" in denied.text
    assert "next: use_smaller_amount" in denied.text
    again = over_http(*_ask(payment, "150000"), GOVERNOR_KEY=key)
    assert (again.code, again.value["error"]["code"]) == (1, "limit_exceeded")
    assert "decided earlier, under the same operation key" in again.value["error"]["detail"]


def test_a_preview_books_nothing(over_http: Told, story: Story) -> None:
    payment, key = story.twin.payment(5000, customer="cus_9"), story.keys["agent"]
    words = ("refund", "preview", "--payment", payment, "--currency", "usd", "--json", "--amount")
    assert over_http(*words, "remaining", GOVERNOR_KEY=key).value["amount"] == 5000
    assert over_http(*words, "5001", GOVERNOR_KEY=key).code == 1
    assert over_http("refund", "list", "--payment", payment, "--json", GOVERNOR_KEY=key).value["data"] == []


def test_an_approver_decides_what_is_shown_and_only_after_being_asked(over_http: Told, story: Story) -> None:
    request = story.ask(22_000, story.twin.payment(22_000, customer="cus_2"))
    approver = story.keys["approver"]
    waiting = over_http("hold", "list", "--json", GOVERNOR_KEY=approver).value["data"]
    assert request.hold in {hold["id"] for hold in waiting}
    assert "any approver" in over_http("hold", "list", GOVERNOR_KEY=approver).text
    unasked = over_http("refund", "approve", request.id, GOVERNOR_KEY=approver)
    assert (unasked.code, "--yes" in unasked.text) == (2, True)
    own = over_http("refund", "approve", request.id, "--yes", "--json", GOVERNOR_KEY=story.keys["agent"])
    assert (own.code, own.value["error"]["code"]) == (1, "role_not_allowed")
    hold = over_http("hold", "show", str(request.hold), "--json", GOVERNOR_KEY=approver).value
    stale = over_http(
        "hold", "decide", hold["id"], "approve", "--digest", "sha256:" + "0" * 64, "--version", "1", "--json",
        GOVERNOR_KEY=approver,
    )  # fmt: skip
    assert (stale.code, stale.value["error"]["code"]) == (1, "hold_changed")
    seen = ("--digest", hold["digest"], "--version", str(hold["version"]))
    decided = over_http(
        "hold", "decide", hold["id"], "reject", "--reason", "no", *seen, "--json", GOVERNOR_KEY=approver
    )
    assert (decided.code, decided.value["state"]) == (0, "rejected")
    late = over_http("refund", "approve", request.id, "--yes", "--json", GOVERNOR_KEY=approver)
    assert (late.code, late.value["error"]["code"]) == (1, "hold_already_decided")


def test_an_approval_through_the_request_queues_it(over_http: Told, story: Story) -> None:
    request = story.ask(23_000, story.twin.payment(23_000, customer="cus_3"))
    words = ("refund", "approve", request.id, "--yes", "--reason", "seen the photos", "--json")
    decided = over_http(*words, GOVERNOR_KEY=story.keys["approver"])
    assert (decided.code, decided.value["state"]) == (0, "queued")
    story.send(request)
    found = over_http(
        "refund", "get", request.id, "--timeline", "--json", GOVERNOR_KEY=story.keys["approver"]
    ).value
    events = [moment["event"] for moment in found["timeline"]]
    assert (found["state"], events) == ("succeeded", ["requested", "approved", "evidence"])


def test_a_key_comes_from_a_file_or_standard_input_as_well(
    over_http: Told, story: Story, tmp_path: Path
) -> None:
    kept = tmp_path / "key"
    kept.write_text(story.keys["agent"] + "\n", encoding="ascii")
    assert over_http("refund", "list", "--key-file", str(kept)).code == 0
    assert over_http("refund", "list", "--key-file", "-", stdin=story.keys["agent"] + "\n").code == 0


def test_without_a_usable_key_nothing_is_called(over_http: Told, tmp_path: Path) -> None:
    assert over_http("refund", "list").code == 2
    assert over_http("refund", "list", "--key-file", "-", stdin="").code == 2
    assert over_http("refund", "list", "--key-file", str(tmp_path / "none")).code == 2
    assert over_http("refund", "list", GOVERNOR_KEY="a\nb").code == 2


def test_a_wrong_key_is_refused_and_not_repeated(over_http: Told) -> None:
    heard = over_http("refund", "list", GOVERNOR_KEY="gvk_test_wrong")
    assert (heard.code, "credential_invalid" in heard.text) == (1, True)
    assert "gvk_test_wrong" not in heard.text


def test_nobody_at_the_address_is_unavailable(over_http: Told) -> None:
    heard = over_http("refund", "list", "--url", "http://127.0.0.1:1", "--json", GOVERNOR_KEY="gvk_test_any")
    assert (heard.code, heard.value["error"]["code"]) == (4, "not_reachable")


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://127.0.0.1", "http://me:pw@127.0.0.1", "http://h?x=1"]
)
def test_an_address_that_is_none_is_a_usage_error(over_http: Told, url: str) -> None:
    assert over_http("refund", "list", "--url", url, GOVERNOR_KEY="gvk_test_any").code == 2


def test_without_an_address_there_is_nobody_to_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert tell("refund", "list", GOVERNOR_KEY="gvk_test_any").code == 2


def test_two_agents_whose_refund_is_not_sent_are_no_success(
    over_http: Told, story: Story, address: str
) -> None:
    del over_http
    keys = story.keys | {"agent_2": story.keys["agent"]}
    said = two_agents.play(address, story.twin.url, Demo(keys, []), wait_seconds=1)
    assert said.exit_code == 1
    assert json.loads(json.dumps(said.value))["ok"] is False
    assert said.value["refused"]["problem"]["code"] == "limit_exceeded"
    assert said.value["writes"] == []


def test_an_approver_asks_the_requester_answers_and_less_is_approved(over_http: Told, story: Story) -> None:
    request = story.ask(24_000, story.twin.payment(24_000, customer="cus_4"))
    approver, hold = story.keys["approver"], str(request.hold)
    silent = over_http("hold", "decide", hold, "return", "--yes", "--json", GOVERNOR_KEY=approver)
    assert (silent.code, silent.value["error"]["code"]) == (2, "validation_failed")
    words = ("hold", "decide", hold, "return", "--reason", "which box?", "--yes", "--json")
    asked = over_http(*words, GOVERNOR_KEY=approver)
    assert (asked.code, asked.value["question"]) == (0, "which box?")
    answer = ("refund", "answer", request.id, "the red one", "--json")
    told, again = (over_http(*answer, GOVERNOR_KEY=story.keys["agent"]) for _ in range(2))
    assert (told.code, told.value["next_action"]) == (0, "ask_approver")
    assert (again.code, again.value["error"]["code"]) == (1, "nothing_asked")
    nudge = ("refund", "nudge", request.id, "--json")
    told, again = (over_http(*nudge, GOVERNOR_KEY=story.keys["agent"]) for _ in range(2))
    assert (told.code, told.value["state"]) == (0, "pending_approval")
    assert (again.code, again.value["error"]["code"]) == (1, "nudged_already")
    words = ("hold", "decide", hold, "approve_less", "--amount", "20000", "--yes", "--json")
    less = over_http(*words, GOVERNOR_KEY=approver)
    assert (less.code, less.value["amount"], less.value["asked_amount"]) == (0, 20_000, 24_000)
    assert story.app.queries.hold(story.approver, hold)[0].version == 4
