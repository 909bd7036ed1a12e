"""Limits in effect: what is shown of a subject is what an admission of it decides by."""

from collections.abc import Callable

import pytest

from governor.domain.errors import Invalid, NotFound
from governor.domain.limits import Measure, Scope
from governor.domain.requests import shown_limits
from governor.usecases.freeze import FreezeDraft
from governor.usecases.limits_in_effect import About, InCurrency, InEffect
from tests.builders import World, fresh_key
from tests.usecases.test_delegation import child_of


def look(world: World, **about: str) -> InEffect:
    return world.app.limit_board.in_effect(world.operator, About(**about))


def only(found: InEffect) -> InCurrency:
    (one,) = found.currencies
    return one


def test_what_is_shown_is_what_the_next_request_is_decided_by(world: World) -> None:
    world.limit(100_000)
    world.limit(9, measure=Measure.COUNT, scope=Scope.AGENT)
    world.limit(3000, scope=Scope.CUSTOMER)
    parent = world.caller(name="parent", agent="bot")
    world.limit(2000, scope=Scope.CREDENTIAL, value=parent.credential.id)
    world.limit(50, scope=Scope.CASE, value="ZD-9")
    child = child_of(world, parent, cap=1500)
    payment = world.payment(5000, customer="cus_1")
    world.request(child, payment, 700)
    shown = look(world, payment=payment, credential=child.credential.id)
    lines = [line for line, _ in only(shown).lines]
    asked = world.request(child, payment, 801)
    assert asked.denial == "limit_exceeded"
    told = [one | {"requested": 0} for one in shown_limits(tuple(lines))]
    decided = [{name: one[name] for name in told[0]} | {"requested": 0} for one in asked.limits]
    assert told == decided
    assert len(told) == 5
    first = only(shown).narrowest
    assert first is not None
    assert (first.charge.limit.cap, only(shown).most_minor) == (1500, 800)
    assert (shown.about.agent, shown.about.customer) == ("bot", "cus_1")
    assert world.request(child, payment, 800).denial is None


def test_what_is_not_named_is_told_to_count_as_well(world: World) -> None:
    world.limit(100_000)
    each = world.limit(3000, scope=Scope.CUSTOMER)
    world.limit(10, scope=Scope.CUSTOMER, value="cus_9")
    bot, other_bot = world.caller(name="bot", agent="bot"), world.caller(name="else", agent="else")
    for key, cap in ((bot, 20), (other_bot, 30)):
        world.limit(cap, scope=Scope.CREDENTIAL, value=key.credential.id)
    other = world.limit(700, currency="eur", scope=Scope.AGENT)
    usd = {one.currency: one for one in look(world).currencies}["usd"]
    assert (usd.unnamed, usd.single) == ((each,), 3), "who they are set for is one of many"
    assert [line.charge.limit.cap for line, _ in usd.lines] == [100_000]
    named = {one.currency: one for one in look(world, customer="cus_9", agent="bot").currencies}
    assert (named["usd"].most_minor, named["usd"].unnamed, named["usd"].single) == (10, (), 2)
    assert (named["eur"].unnamed, named["eur"].single) == ((), 0), "no other currency is meant"
    with_key = {one.currency: one for one in look(world, credential=bot.credential.id).currencies}["usd"]
    assert (with_key.most_minor, with_key.single) == (20, 1)
    assert [line.charge.limit.id for line, _ in named["eur"].lines] == [other.id]
    nobodys = only(look(world, payment=world.payment(5000)))
    assert (nobodys.most_minor, nobodys.unnamed) == (5000, ())


def test_a_hold_whose_time_is_over_takes_no_room_here_either(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True)
    world.limit(1000, approval_above=100)
    world.request(world.caller(), world.payment(), 600)
    assert only(look(world)).most_minor == 400
    world.advance(3 * 24 * 3600)
    assert only(look(world)).most_minor == 1000


def test_who_is_stopped_is_told_to_be(world: World) -> None:
    world.limit(1000)
    bot, other = world.caller(), world.caller(name="other")
    stop = FreezeDraft(Scope.CREDENTIAL, bot.credential.id, "it loops")
    freeze, _ = world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    child = child_of(world, bot)
    for key in (bot, child):
        assert look(world, credential=key.credential.id).freezes == (freeze,)
    assert look(world, credential=other.credential.id).freezes == ()


@pytest.mark.parametrize("about", ["agent", "customer", "credential", "operator", "payment"])
def test_what_contradicts_itself_or_is_not_here_is_refused(world: World, about: str) -> None:
    bot = world.caller(name="bot")
    payment = world.payment(5000, customer="cus_1")
    asked = {
        "agent": {"credential": bot.credential.id, "agent": "another"},
        "customer": {"payment": payment, "customer": "cus_2"},
        "credential": {"credential": "cred_nobody"},
        "operator": {"credential": world.operator.credential.id},
        "payment": {"payment": "pi_nowhere"},
    }
    with pytest.raises(NotFound if about == "payment" else Invalid):
        look(world, **asked[about])
