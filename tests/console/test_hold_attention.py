"""In the console: who is looking, what one snoozes, and calling somebody else."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.valkey import EmbeddedRedis
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.holds import payment_of
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.fakes.provider import FakeProvider
from tests.lasting import lasting_world

INBOX = "/console/e/test/holds"


@pytest.fixture(scope="module")
def world(
    postgres_server: EmbeddedPostgres, migrated_template: str, redis_server: EmbeddedRedis
) -> Iterator[World]:
    """Holds here have time enough to be snoozed."""
    with lasting_world(postgres_server, migrated_template, redis_server.url) as built:
        here = built.app.queries.environment(built.operator)
        draft = EnvironmentDraft(here.mode, here.rate_per_second, approval_seconds=3 * 86_400)
        built.app.change_environment(built.operator, draft, here.revision)
        built.limit(10_000_000, approval_above=10_000)
        yield built


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


@pytest.fixture
def request_held(world: World) -> RefundRequest:
    return world.request(world.caller(), world.payment(50_000), 20_000)


def row_of(visitor: Visitor, request: RefundRequest, view: str = "team") -> str | None:
    """What the inbox says of a request; None when it is not there."""
    rows = visitor.get(f"{INBOX}?view={view}").all("tr")
    return next((row.text for row in rows if request.payment in row.text), None)


def waiting_for(visitor: Visitor) -> int:
    """How many the navigation says are waiting."""
    (entry,) = [one for one in visitor.get(INBOX).all("a", href=INBOX) if "Waiting for approval" in one.text]
    return int(entry.text.removeprefix("Waiting for approval").removesuffix("waiting") or 0)


def page_of(visitor: Visitor, request: RefundRequest) -> Seen:
    return visitor.get(f"{INBOX}/{request.hold}")


def test_who_looks_is_seen_by_the_others_in_the_list_and_at_the_hold(
    ben: Visitor, bo: Visitor, request_held: RefundRequest, visitor: Callable[[Role], Visitor]
) -> None:
    button = f"I am looking at {request_held.payment}"
    after = ben.send(ben.get(INBOX).form(button))
    assert after.address == f"{INBOX}/{request_held.hold}"
    assert "The others see that you are looking." in after.text
    assert "You are looking" in (row_of(ben, request_held) or "")
    assert "ben is looking" in (row_of(bo, request_held) or "")
    late = bo.get(INBOX)
    with pytest.raises(AssertionError, match="no form has the button"):
        late.form(button)
    assert "ben is looking" in page_of(visitor(Role.OPERATOR), request_held).text
    page = page_of(bo, request_held)
    assert "ben is looking" in page.text
    assert "Approve $200.00" in page.text, "anybody may still decide"
    form = ben.get(INBOX).form(f"Let go of {request_held.payment}")
    bo.send(form)
    assert "ben is looking" in page_of(bo, request_held).text, "nobody lets go for another one"
    ben.send(form)
    assert "is looking" not in page_of(bo, request_held).text


def test_two_take_it_up_and_the_second_is_told_who_was_first(
    ben: Visitor, bo: Visitor, request_held: RefundRequest
) -> None:
    button = f"I am looking at {request_held.payment}"
    pages = [one.get(INBOX) for one in (bo, ben)]
    bo.send(pages[0].form(button))
    assert "bo is looking already." in ben.send(pages[1].form(button)).text


def test_what_one_snoozes_is_not_counted_and_waits_for_the_others(
    ben: Visitor, bo: Visitor, request_held: RefundRequest
) -> None:
    before = waiting_for(ben)
    form = ben.get(f"{INBOX}/{request_held.hold}/snooze").form("Snooze")
    assert "It comes back to you in four hours." in ben.send(form, length="four_hours").text
    assert waiting_for(ben) == before - 1
    assert row_of(ben, request_held, "mine") is None
    assert "you snoozed it, back in 3 hours" in (row_of(ben, request_held) or "")
    assert row_of(bo, request_held, "mine")
    again = ben.get(f"{INBOX}/{request_held.hold}/snooze").form("Snooze")
    ben.send(again, length="not_any_more")
    assert waiting_for(ben) == before
    refused = bo.send(form, length="for_ever")
    assert (refused.status, "Choose one of the answers" in refused.text) == (422, True)


def test_who_is_called_and_why_stands_with_the_line_and_at_the_hold(
    ben: Visitor, bo: Visitor, request_held: RefundRequest, visitor: Callable[[Role], Visitor]
) -> None:
    form = ben.get(f"{INBOX}/{request_held.hold}/escalate").form("Escalate")
    said = "<b>Ask</b> the bank"
    assert "It is escalated to: bo." in ben.send(form, to="person:bo", reason=said).text
    for one in (bo, visitor(Role.OPERATOR)):
        assert f"Escalated by ben : {said}" in (row_of(one, request_held) or "")
        page = page_of(one, request_held)
        assert "Escalated by ben to bo , just now" in page.text
        assert said in page.text
    holds = [link for link in ben.get(INBOX).links if link.startswith(f"{INBOX}/hold_")]
    assert holds[0] == f"{INBOX}/{request_held.hold}", "it stands first"
    again = ben.get(f"{INBOX}/{request_held.hold}/escalate").form("Escalate")
    for answers, words in (
        ({"to": "person:bo", "reason": "Once more"}, "You have escalated it to them already."),
        ({"to": "person:ben", "reason": "Me"}, "Choose one of the answers: To whom."),
        ({"to": "operators", "reason": ""}, "Fill in: Why."),
    ):
        refused = ben.send(again, **answers)
        assert (refused.status, words in refused.text) == (422, True), words
    assert "All operators" in ben.send(again, to="operators", reason="Please").text


def test_whoever_does_not_approve_never_waits_for_the_provider(
    world: World, ben: Visitor, request_held: RefundRequest, provider: FakeProvider
) -> None:
    """Snoozing, escalating and saying no need nothing of it, so none of them waits while it is away."""
    page = page_of(ben, request_held)
    with world.app.store.environment("test") as tx:
        facts, _ = payment_of(tx, request_held)
        tx.save_facts(replace(facts, read_at=facts.read_at - timedelta(days=1)))
    asked = len(provider.calls)
    ben.send(ben.get(f"{INBOX}/{request_held.hold}/snooze").form("Snooze"), length="four_hours")
    for sent, answers in (
        (
            ben.get(f"{INBOX}/{request_held.hold}/escalate").form("Escalate"),
            {"to": "operators", "reason": "Look"},
        ),
        (page.form("Reject"), {"choice": "reject", "reason": "not ours"}),
    ):
        fields = {name: text for name, text in sent.fields if name not in answers}
        assert ben.post(sent.action, fields | answers).status == 303
    assert provider.calls[asked:] == []
    assert world.now(request_held).state is State.REJECTED


def test_what_is_decided_is_looked_at_by_nobody(world: World, ben: Visitor, bo: Visitor) -> None:
    request = world.request(world.caller(), world.payment(50_000), 20_000)
    look = ben.get(INBOX).form(f"I am looking at {request.payment}")
    escalate = ben.get(f"{INBOX}/{request.hold}/escalate").form("Escalate")
    snooze = ben.get(f"{INBOX}/{request.hold}/snooze").form("Snooze")
    bo.send(page_of(bo, request).form("Reject"), reason="Twice")
    assert "It is decided already: the request is rejected." in ben.send(look).text
    assert "It is decided already: the request is rejected." in ben.send(snooze, length="an_hour").text
    assert (
        "It is decided already: the request is rejected."
        in ben.send(escalate, to="operators", reason="Why").text
    )


def test_what_ends_within_the_hour_cannot_be_snoozed(world: World, ben: Visitor) -> None:
    here = world.app.queries.environment(world.operator)
    for seconds, words in ((600, "It ends too soon to be snoozed"), (3 * 86_400, "A day")):
        now = world.app.queries.environment(world.operator)
        draft = EnvironmentDraft(here.mode, here.rate_per_second, approval_seconds=seconds)
        world.app.change_environment(world.operator, draft, now.revision)
        request = world.request(world.caller(), world.payment(50_000), 20_000)
        assert words in ben.get(f"{INBOX}/{request.hold}/snooze").text
