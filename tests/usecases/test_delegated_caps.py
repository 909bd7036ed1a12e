"""A child's own cap narrows what its parent may; where the parent may nothing, neither may the child (invariant 13)."""

from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.usecases.credential_drafts import CredentialDraft
from tests.builders import World, fresh_key, limit_draft


def test_a_cap_of_a_childs_own_permits_nothing_that_its_parent_may_not(world: World) -> None:
    parent = world.caller(name="parent")
    draft = CredentialDraft("child", None, caps=(limit_draft(1000, scope=Scope.CREDENTIAL),))
    _, key, _ = world.app.manage_credentials.create(parent, draft, fresh_key())
    child = world.app.authenticate(key or "")
    for caller in (parent, child):
        assert world.request(caller, world.payment(5000), 100).denial == "no_limit"
    world.limit(5000, scope=Scope.CREDENTIAL, value=parent.credential.id)
    assert world.request(child, world.payment(5000), 900).state is State.QUEUED
    assert world.request(child, world.payment(5000), 200).denial == "limit_exceeded"
