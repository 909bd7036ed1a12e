"""Endpoints in the console: made and shown once, watched, tried again, replaced, and ended."""

import re
from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.deliveries import DeliveryState, Receipt
from governor.domain.endpoints import Disabled
from governor.domain.messages import TYPES
from governor.ports.messages import Claimed
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.examples import told

ENDPOINTS = "/console/e/test/endpoints"
HOOK = "https://hooks.example.com/a"


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


def made(cleo: Visitor, **answers: str | list[str]) -> Seen:
    return cleo.send(cleo.get(f"{ENDPOINTS}/new").form("Make the endpoint"), **answers)


def given_up(world: World, endpoint: str) -> None:
    """Everything that waits for this endpoint is tried once, and given up."""
    outgoing = world.app.messages.deliver.outgoing
    claimed: tuple[Claimed, ...] = outgoing.claim(at_most=100)
    assert endpoint in {one.endpoint.id for one in claimed}
    for one in claimed:
        outgoing.failed(one, Receipt(503, "status_503", 12), None)


def test_what_an_endpoint_can_be_told_is_said_as_its_messages_say_it_what_people_look_for_first(
    cleo: Visitor,
) -> None:
    chosen = next(one for one in cleo.get(f"{ENDPOINTS}/new").all("fieldset") if "told of" in one.text)
    said = [one.text for one in chosen.all() if one.tag == "label"]
    assert len(said) == len(TYPES)
    assert "Refund waits for approval" in said
    assert "Key got another secret" in said
    subjects = [one.partition(" ")[0] for one in said]
    assert list(dict.fromkeys(subjects)) == [
        *("Refund", "Freeze", "Environment", "Limit", "Rule", "Key", "Endpoint")
    ], "each by itself, in this order"


def test_a_secret_is_shown_once_and_the_endpoint_is_made_once(world: World, cleo: Visitor) -> None:
    form = cleo.get(f"{ENDPOINTS}/new").form("Make the endpoint")
    before = len(world.app.messages.see.all(world.operator))
    answers: dict[str, str | list[str]] = {
        "url": HOOK,
        "description": "the till",
        "types": ["refund_request.held", "endpoint.tested"],
    }
    page = cleo.send(form, **answers)
    assert re.search(r"whsec_\S+", page.text)
    assert page.response.headers["Cache-Control"] == "no-store"
    again = cleo.send(form, **answers)
    assert "whsec_" not in again.html
    assert "This was done already" in again.text
    standing = world.app.messages.see.all(world.operator)
    assert len(standing) == before + 1
    assert standing[-1].endpoint.types == ("endpoint.tested", "refund_request.held")
    one = cleo.get(f"{ENDPOINTS}/{standing[-1].endpoint.id}")
    assert "whsec_" not in one.html
    assert HOOK in one.text
    assert "the till" in cleo.get(ENDPOINTS).text


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"url": "http://hooks.example.com"}, "it begins with https://"),
        ({"url": "https://10.0.0.1/a"}, "its host is a DNS name"),
        ({}, "has a URL and no addresses"),
        ({"kind": "email", "to": "nobody"}, "no e-mail address"),
        ({"kind": "email", "to": "ann@example.com", "url": HOOK}, "E-mail goes to addresses"),
        ({"kind": "email", "to": "ann@example.com"}, "mail"),
        ({"url": HOOK, "types": "refund_request.lost"}, "Choose one of the answers"),
        ({"url": HOOK, "description": "the\u202etill"}, "characters that can be seen"),
    ],
)
def test_what_cannot_be_told_is_refused_and_what_was_typed_is_kept(
    world: World, cleo: Visitor, answers: dict[str, str], words: str
) -> None:
    before = world.app.messages.see.all(world.operator)
    page = made(cleo, **answers)
    assert page.status == 422
    assert words in page.text
    assert page.form("Make the endpoint").value("url") == answers.get("url", "")
    assert world.app.messages.see.all(world.operator) == before


def test_a_slack_address_is_a_secret_and_shown_to_nobody(world: World, cleo: Visitor) -> None:
    address = "https://hooks.slack.com/services/T0/B0/secretpart"
    assert "It has no secret to keep" in made(cleo, kind="slack", url=address).text
    one = world.app.messages.see.all(world.operator)[-1].endpoint
    page = cleo.get(f"{ENDPOINTS}/{one.id}")
    assert "secretpart" not in page.html
    assert "a Slack URL is a secret" in page.text
    assert f"{ENDPOINTS}/{one.id}/rotate" not in page.links


def test_a_secret_is_replaced_with_an_overlap(world: World, cleo: Visitor) -> None:
    endpoint, _ = told(world, "rotated")
    form = cleo.get(f"{ENDPOINTS}/{endpoint}/rotate").form("Replace the secret")
    page = cleo.send(form, overlap="3600")
    assert "whsec_" in page.text
    assert "whsec_" not in cleo.send(form, overlap="3600").html
    assert "signs too until" in cleo.get(f"{ENDPOINTS}/{endpoint}").text


def test_what_was_given_up_is_found_by_its_state_and_carried_again_once(world: World, cleo: Visitor) -> None:
    endpoint, message = told(world, "replayed")
    given_up(world, endpoint)
    found = cleo.get(f"{ENDPOINTS}/{endpoint}?state=given_up")
    assert "status 503" in found.text
    address = f"{ENDPOINTS}/{endpoint}/deliveries/{message}"
    assert address in found.links
    assert address not in cleo.get(f"{ENDPOINTS}/{endpoint}?state=delivered").links
    form = cleo.get(address).form("Replay it")
    assert "It is carried there again." in cleo.send(form).text
    given_up(world, endpoint)
    cleo.send(form)
    now = world.app.messages.see.delivery(world.operator, endpoint, message)
    assert now.state is DeliveryState.GIVEN_UP, "a second click is no second replay"


def test_a_disabled_endpoint_says_why_and_is_used_again(world: World, cleo: Visitor) -> None:
    endpoint, message = told(world, "disabled")
    with world.app.messages.endpoints.store.environment("test") as tx:
        tx.disable_endpoint(endpoint, Disabled.GONE)
    page = cleo.get(f"{ENDPOINTS}/{endpoint}")
    assert "it says that it is gone" in page.text
    refused = cleo.send(cleo.get(f"{ENDPOINTS}/{endpoint}/deliveries/{message}").form("Replay it"))
    assert refused.status == 422
    assert "enable it first" in refused.text
    done = cleo.send(cleo.get(f"{ENDPOINTS}/{endpoint}/enable").form("Use it again"))
    assert "It is told what happens from now on." in done.text
    assert "In use" in done.text


def test_a_test_message_goes_once_however_often_it_is_clicked(world: World, cleo: Visitor) -> None:
    endpoint, _ = told(world, "tested")
    form = cleo.get(f"{ENDPOINTS}/{endpoint}/test").form("Send it")
    for _ in range(2):
        assert "A message is on its way." in cleo.send(form).text
    world.app.messages.tell()
    sent = world.app.messages.see.deliveries(world.operator, endpoint, at_most=10)
    assert [one.type for one in sent].count("endpoint.tested") == 2  # One was sent when it was made.


def test_a_deleted_endpoint_is_there_no_more(world: World, cleo: Visitor) -> None:
    endpoint, _ = told(world, "deleted")
    page = cleo.get(f"{ENDPOINTS}/{endpoint}/delete")
    assert "given up" in page.text
    form = page.form("Delete it")
    assert "It is told nothing more." in cleo.send(form).text
    assert cleo.send(form).status == 404
    assert cleo.get(f"{ENDPOINTS}/{endpoint}").status == 404


def test_an_auditor_sees_how_they_are_doing_and_changes_nothing(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    endpoint, message = told(world, "audited")
    eve = visitor(Role.AUDITOR)
    assert f"{ENDPOINTS}/new" not in eve.get(ENDPOINTS).links
    page = eve.get(f"{ENDPOINTS}/{endpoint}")
    assert f"{ENDPOINTS}/{endpoint}/delete" not in page.links
    assert not any(
        one.text == "Replay it"
        for one in eve.get(f"{ENDPOINTS}/{endpoint}/deliveries/{message}").all("button")
    )


def test_what_no_endpoint_could_be_told_is_said_where_endpoints_are(world: World, cleo: Visitor) -> None:
    made(cleo, url=HOOK, types=["refund_request.held"])
    assert "no message could be made" not in cleo.get(ENDPOINTS).text
    first, _ = (_passed_over(world) for _ in range(2))
    page = cleo.get(ENDPOINTS)
    assert "2 things that happened were told to no endpoint" in page.text
    assert f"row {first} of the audit trail" in page.text


def _passed_over(world: World) -> int:
    """The number of a new row of the trail, which nobody can be told of."""
    world.limit(5000)
    with world.app.messages.tell.outgoing.trail(world.environment) as trail:
        assert trail is not None
        last = trail.rows[-1].seq
        trail.pass_over(last, "KeyError")
        trail.tell([], last)
        return last
