"""Large amounts in the console: whoever approves them proves again who they are, or types the amount."""

from collections.abc import Callable

import psycopg
import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD
from tests.servers import libpq

INBOX = "/console/e/test/holds"
APPROVE = "Approve $200.00"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(10_000_000, approval_above=10_000)


@pytest.fixture
def ben(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.APPROVER)


def held(world: World) -> RefundRequest:
    return world.request(world.caller(), world.payment(50_000), 20_000)


def look(ben: Visitor, request: RefundRequest) -> Seen:
    return ben.get(f"{INBOX}/{request.hold}")


def votes_on(world: World, request: RefundRequest) -> int:
    return len(world.app.queries.hold(world.operator, request.hold or "")[1])


def test_whoever_signed_in_long_ago_proves_who_they_are_and_the_decision_is_sent_again(
    world: World, ben: Visitor, asks: Callable[..., None], proved_long_ago: Callable[[], None]
) -> None:
    asks(prove={"usd": 19_999})
    request = held(world)
    proved_long_ago()
    page = look(ben, request)
    assert "you are asked to before it counts" in page.text
    asked = ben.send(page.form(APPROVE), reason="looks right to me")
    assert (asked.status, asked.title) == (403, "Prove that it is you")
    wrong = ben.send(asked.form("Go on"), password="a guess at the orchard")
    assert (wrong.status, votes_on(world, request)) == (401, 0)
    proved = ben.send(wrong.form("Go on"), password=PASSWORD)
    assert votes_on(world, request) == 0, "a proof is no decision"
    done = ben.send(proved.form("Go on"))
    assert "You approved $200.00" in done.text
    ((vote, _),) = world.app.queries.hold(world.operator, request.hold or "")[1]
    assert (vote.choice, vote.person, vote.reason) == (Choice.APPROVE, "ben", "looks right to me")
    assert world.now(request).state is State.QUEUED


def test_whoever_has_just_signed_in_is_not_asked_again(
    world: World, ben: Visitor, asks: Callable[..., None]
) -> None:
    asks(prove={"usd": 0})
    with psycopg.connect(libpq(world.database_url)) as session:
        session.execute("UPDATE sessions SET confirmed_at = clock_timestamp()")
    page = look(ben, request := held(world))
    assert "you are asked to before it counts" not in page.text
    ben.send(page.form(APPROVE))
    assert world.now(request).state is State.QUEUED


def test_less_than_the_threshold_and_saying_no_take_no_proof(
    world: World, ben: Visitor, asks: Callable[..., None], proved_long_ago: Callable[[], None]
) -> None:
    asks(prove={"usd": 15_000}, typed={"usd": 100})
    proved_long_ago()
    less, no = held(world), held(world)
    ben.send(look(ben, less).form("Approve only this much"), amount="150.00")
    ben.send(look(ben, no).form("Reject"), reason="not ours to pay")
    assert (world.now(less).state, world.now(less).amount_minor) == (State.QUEUED, 15_000)
    assert world.now(no).state is State.REJECTED


def test_a_key_has_proved_itself_with_its_call(world: World, asks: Callable[..., None]) -> None:
    asks(prove={"usd": 0}, typed={"usd": 0})
    assert world.decide(world.approver(), held(world), Choice.APPROVE).state is State.QUEUED


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Type the amount that you approve."),
        ("20.00", "This is not the amount that is asked for."),
        ("20000", "This is not the amount that is asked for."),
        ("200,00", "A mark between digits"),
    ],
)
def test_a_wrong_amount_is_refused_where_it_was_typed(
    world: World, ben: Visitor, asks: Callable[..., None], typed: str, words: str
) -> None:
    asks(typed={"usd": 19_999})
    page = ben.send(look(ben, request := held(world)).form(APPROVE), typed_amount=typed, reason="kept words")
    assert page.status == 422
    (said,) = page.all("p", class_="question-error")
    assert words in said.text
    assert page.form(APPROVE).value("typed_amount") == typed
    assert page.form(APPROVE).value("reason") == "kept words"
    assert (votes_on(world, request), world.now(request).state) == (0, State.PENDING_APPROVAL)


def test_the_typed_amount_approves(world: World, ben: Visitor, asks: Callable[..., None]) -> None:
    asks(typed={"usd": 19_999})
    request = held(world)
    ben.send(look(ben, request).form(APPROVE), typed_amount="200.00")
    assert world.now(request).state is State.QUEUED


def test_below_the_threshold_nobody_is_asked_to_type(
    world: World, ben: Visitor, asks: Callable[..., None]
) -> None:
    asks(typed={"usd": 20_000})
    request = held(world)
    assert not look(ben, request).all("input", name="typed_amount")
    ben.send(look(ben, request).form(APPROVE))
    assert world.now(request).state is State.QUEUED
