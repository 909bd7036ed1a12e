"""The operators' overview: how the day went, how the provider does, and which processes live."""

import re
from collections import Counter
from collections.abc import Callable

from sqlalchemy import text

from adapters.this_process import this_process
from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.outcome import Outcome, Reply
from governor.domain.processes import ProcessKind
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, Visitor
from tests.fakes.provider import FakeProvider

OVERVIEW = "/console/e/test/overview"


def test_the_day_is_told_by_who_decided_and_by_hour(world: World, visitor: Callable[[Role], Visitor]) -> None:
    cleo = visitor(Role.OPERATOR)
    before = _verdicts(cleo.get(OVERVIEW))
    world.limit(100_000)
    world.limit(1000, scope=Scope.CASE, approval_above=100)
    agent = world.caller()
    for amount in (50, 200, 900):
        world.request(agent, world.payment(5000), amount, case="zd-day")
    page = cleo.get(OVERVIEW)
    assert [more - less for more, less in zip(_verdicts(page), before, strict=True)] == [3, 1, 1, 1]
    figure = next(one for one in page.all("figure") if one.text.startswith("Asked for, by hour"))
    tags = Counter(one.tag for one in figure.all())
    assert tags["tr"] == 1 + 24
    assert "1 denied" in figure.text
    assert tags["pattern"] == 5, "the pieces of a bar are told apart without colours, too"


def _verdicts(page: Seen) -> list[int]:
    """Asked for, let through, held, denied, as the page has it."""
    words = ("Asked for", "Let through at once", "Held for approval", "Denied")
    told = next(one.text for one in page.all("section") if one.text.startswith("The last 24 hours"))
    return [int(re.search(rf"{word} (\d+)", told)[1]) for word in words]  # type: ignore[index]  # each is there


def test_how_the_provider_does_is_told_by_the_books(world: World, visitor: Callable[[Role], Visitor]) -> None:
    eve = visitor(Role.AUDITOR)
    world.limit(100_000)
    assert isinstance(world.provider, FakeProvider)
    world.provider.answer_next(Reply(Outcome.NOT_EXECUTED, "rate_limited", 429, retry_after_seconds=1))
    world.drain(world.request(world.caller(), world.payment(5000), 100))
    world.app.catch_up.events("test")
    told = _provider(eve.get(OVERVIEW))
    assert "Last answer to a refund just now" in told
    assert re.search(r"Calls \d+ since \d+ \w+ \d{4}, [\d:]+ UTC \(", told), (
        "a moment, and not how long ago it is"
    )
    assert "1 not executed" in told
    assert "rate limited 1 time" in told
    assert "Last webhook never: its lists are walked instead" in told
    assert "List of events walked just now List of refunds walked never" in told
    assert "Events that stay unread none" in told
    assert "Reconciled not in the last 7 days Trail verified never Trail anchored never" in told
    runs = world.app.long_work
    for kind, parameters in (("reconcile", {"currency": "usd", "ask_provider": False}), ("verify_trail", {})):
        runs.runs.begin(world.operator, kind, parameters, fresh_key(kind))
        runs.carry_out(lambda: False)
    told = _provider(eve.get(OVERVIEW))
    assert re.search(r"Reconciled just now : all \d+ lines are explained", told)
    assert re.search(r"Trail verified just now , rows 1 to \d+ of \d+: whole", told)


def _provider(page: Seen) -> str:
    return next(one.text for one in page.all("section") if one.text.startswith("Stripe and the books"))


def test_a_process_that_is_missing_is_said_with_what_waits_for_it(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    cleo = visitor(Role.OPERATOR)
    for page in (cleo.get(OVERVIEW), cleo.get("/console/e/test/queue")):
        assert "No worker runs: nothing is sent, and no event is read." in page.text
    assert "No messenger runs" not in cleo.get(OVERVIEW).text, "there is no endpoint"
    lives = [world.app.oversight.alive(kind) for kind in (*ProcessKind, ProcessKind.WORKER)]
    assert all(one() for one in lives)
    page = cleo.get(OVERVIEW)
    assert "Nothing. Every process lives" in page.text
    worker = next(one for one in page.all("tr") if one.text.startswith("Worker"))
    assert re.search(r"2 live \d+ s ago Sends refunds .* release \d", worker.text)
    assert re.search(r"Worker 2 live, last seen \d+ s ago", cleo.get("/console/e/test/queue").text)
    for one in lives:
        one.leave()
    assert "No worker runs" in cleo.get(OVERVIEW).text


def test_a_process_that_died_is_shown_until_it_is_forgotten(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    died = this_process(ProcessKind.WORKER)
    with world.app.engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO processes VALUES (:id, 'worker', '<b>host</b>', 17, '1.0', now() - interval '1 hour',"
                " now() - interval '5 minutes')"
            ),
            {"id": died.id},
        )
    page = visitor(Role.OPERATOR).get(OVERVIEW)
    assert "Gone <b>host</b> , process 17: no word since" in page.text
    assert "No worker runs" in page.text
