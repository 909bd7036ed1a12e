"""Reasons say something, whichever surface they come by; what was said with a key that is dead by now counts for nothing."""

from collections.abc import Callable

import pytest

from governor.domain.errors import Invalid
from governor.domain.limits import Scope
from governor.domain.resolutions import Ending
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.freezing import freeze
from tests.usecases.doubt import in_doubt

BLANK = ["", "   ", "\t\n", "\u200b", "\u2060\ufeff"]

VERBS: dict[str, Callable[[World, str], object]] = {
    "freeze": lambda world, reason: world.app.freeze_refunds.freeze(
        world.operator, FreezeDraft(Scope.ENVIRONMENT, None, reason), fresh_key()
    ),
    "unfreeze": lambda world, reason: world.app.freeze_refunds.unfreeze(
        world.operator, FreezeDraft(Scope.ENVIRONMENT, None, reason), fresh_key()
    ),
    "acknowledge": lambda world, reason: world.app.change_environment.acknowledge(world.operator, reason),
    "revoke": lambda world, reason: world.app.manage_credentials.revoke(
        world.operator, world.operator.credential.id, reason
    ),
    "resolve": lambda world, reason: world.app.resolve_unknown(
        world.operator, "rr_nobody", Ending.FAILED, reason, fresh_key()
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_reason_that_says_nothing_is_none(world: World, verb: str) -> None:
    for reason in BLANK:
        with pytest.raises(Invalid) as refused:
            VERBS[verb](world, reason)
        assert [one.pointer for one in refused.value.errors] == ["/reason"], reason


def test_a_dead_operators_proposal_to_unfreeze_is_shown_no_more(world: World) -> None:
    freeze(world, Scope.ENVIRONMENT, None)
    second = world.caller(world.operator.role, "second", kind=world.operator.credential.kind)
    draft = FreezeDraft(Scope.ENVIRONMENT, None, "found it")
    world.app.freeze_refunds.unfreeze(second, draft, fresh_key())
    (standing,) = world.app.queries.freezes(world.operator)
    assert standing.standing == "unfreeze_proposed"
    world.app.manage_credentials.revoke(world.operator, second.credential.id)
    (standing,) = world.app.queries.freezes(world.operator)
    assert (standing.standing, standing.proposed) == ("frozen", None)


def test_a_dead_operators_proposal_waits_for_nobody_on_the_desk(new_world: Callable[..., World]) -> None:
    provider = FakeProvider()
    world = new_world(provider=provider)
    world.limit(2000)
    request = in_doubt(world, provider)
    second = world.caller(world.operator.role, "second", kind=world.operator.credential.kind)
    world.resolve(second, request, Ending.FAILED)
    desk = world.app.unknown_desk
    assert desk.listed(world.operator, after=None, at_most=9).speaking == {second.credential.id}
    world.app.manage_credentials.revoke(world.operator, second.credential.id)
    assert desk.listed(world.operator, after=None, at_most=9).speaking == frozenset()
    pack = desk.pack(world.operator, request.id)
    assert (pack.speaking, len(pack.item.proposals)) == (frozenset(), 1), "it is history"
