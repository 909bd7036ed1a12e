"""Steps of the stories about freezes."""

from governor.domain.credentials import Kind, Role
from governor.domain.freezes import Freeze
from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key


def freeze(world: World, scope: Scope = Scope.ENVIRONMENT, value: str | None = None) -> Freeze:
    draft = FreezeDraft(scope, value, "too many refunds")
    return world.app.freeze_refunds.freeze(world.operator, draft, fresh_key("freeze"))[0]


def say_go(world: World, who: Caller, frozen: Freeze) -> Freeze:
    draft = FreezeDraft(frozen.scope, frozen.value, "the fault is found")
    return world.app.freeze_refunds.unfreeze(who, draft, fresh_key("go"))[0]


def unfreeze(world: World, frozen: Freeze) -> Freeze:
    """Two people, one of whom froze."""
    second = world.caller(Role.OPERATOR, f"second for {frozen.id}", kind=Kind.HUMAN)
    assert say_go(world, world.operator, frozen).ended is None
    return say_go(world, second, frozen)


def covering(request: RefundRequest, scope: Scope) -> str | None:
    """The value under which a freeze of this scope covers the request."""
    values = {
        Scope.ENVIRONMENT: None,
        Scope.CREDENTIAL: request.requested_by,
        Scope.PAYMENT: request.payment,
        Scope.CUSTOMER: request.customer,
    }
    return values[scope]
