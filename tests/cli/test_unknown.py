"""The unknown desk on the command line, by operators with keys of their own."""

import json
from pathlib import Path

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.usecases.credential_drafts import CredentialDraft
from tests.cli.story import ENVIRONMENT, Story
from tests.cli.telling import Told


@pytest.fixture
def in_doubt(story: Story) -> RefundRequest:
    """A request that the twin executed, and whose reply was lost."""
    payment = story.twin.payment(5000, customer="cus_31")
    story.twin.fault("drop_after", method="POST", path="/v1/refunds", payment=payment)
    request = story.send(story.ask(1100, payment))
    assert request.state is State.UNKNOWN
    return request


@pytest.fixture
def second(story: Story) -> str:
    draft = CredentialDraft("frank", Role.OPERATOR, Kind.HUMAN, "frank")
    return story.app.manage_credentials.found(ENVIRONMENT, draft)[1]


def test_the_desk_lists_shows_and_finds_what_happened(
    over_http: Told, story: Story, in_doubt: RefundRequest, tmp_path: Path
) -> None:
    key = story.keys["operator"]
    page = over_http("unknown", "list", "--json", GOVERNOR_KEY=key).value
    assert in_doubt.id in {one["id"] for one in page["data"]}
    assert sum(total["count"] for total in page["summary"]) == len(page["data"])
    assert "under_15_minutes" in over_http("unknown", "list", GOVERNOR_KEY=key).text
    kept = tmp_path / "pack.json"
    shown = over_http("unknown", "show", in_doubt.id, "--out", str(kept), "--json", GOVERNOR_KEY=key)
    (candidate,) = shown.value["candidates"]
    assert candidate["is_ours"]
    assert json.loads(kept.read_text(encoding="utf-8"))["id"] == in_doubt.id
    asked = ("refund", "preview", "--payment", in_doubt.payment, "--amount", "7", "--currency", "usd")
    told = over_http(*asked, GOVERNOR_KEY=story.keys["agent"]).text
    said = f"not resolved yet: {in_doubt.id} of this payment is unknown with 1100 since "
    assert said in told
    assert told.index(said) < told.index("promise "), "it is said before anything else"
    found = over_http("unknown", "reconcile", in_doubt.id, "--json", GOVERNOR_KEY=key)
    assert (found.code, found.value["state"]) == (0, "succeeded")
    assert len(story.twin.writes(in_doubt.payment)) == 1


def test_it_takes_two_people_to_resolve(
    over_http: Told, story: Story, in_doubt: RefundRequest, second: str
) -> None:
    words = ("unknown", "resolve", in_doubt.id, "succeeded", "--reason", "the customer has it")
    unasked = over_http(*words, GOVERNOR_KEY=story.keys["operator"])
    assert (unasked.code, "--yes" in unasked.text) == (2, True)
    first = over_http(*words, "--yes", GOVERNOR_KEY=story.keys["operator"])
    assert (first.code, "a second person has to say the same" in first.text) == (0, True)
    again = over_http(*words, "--yes", "--json", GOVERNOR_KEY=story.keys["operator"])
    assert (again.code, again.value["completed"]) == (0, False), "as when the first answer was lost"
    pack = over_http("unknown", "show", in_doubt.id, "--json", GOVERNOR_KEY=second).value
    assert len(pack["resolutions"]) == 1, "one word of one person, however often it is said"
    more = (*words[:-1], "and I am sure", "--yes", "--json")
    alone = over_http(*more, GOVERNOR_KEY=story.keys["operator"])
    assert (alone.code, alone.value["error"]["code"]) == (1, "second_person_needed")
    closed = over_http(*words, "--yes", "--json", GOVERNOR_KEY=second)
    assert (closed.code, closed.value["completed"]) == (0, True)
    assert closed.value["refund_request"]["manual"] is True


def test_an_agent_sees_no_desk(over_http: Told, story: Story) -> None:
    refused = over_http("unknown", "list", "--json", GOVERNOR_KEY=story.keys["agent"])
    assert (refused.code, refused.value["error"]["code"]) == (1, "role_not_allowed")
