"""Who answers for a credential, told by its id."""

from governor.usecases.callers import HOST
from tests.builders import World


def test_owners_are_named_of_dead_keys_too_and_of_nobody_who_was_not_asked_for(world: World) -> None:
    """What somebody wrote is theirs for ever; the host is nobody's key."""
    old, other = (world.caller(name=name, owner=name).credential.id for name in ("ana", "bob"))
    world.app.manage_credentials.revoke(world.operator, old)
    assert world.app.queries.owners(world.operator, {old, HOST}) == {old: "ana"}
    assert world.app.queries.owners(world.operator, {old, other}) == {old: "ana", other: "bob"}
    assert world.app.queries.owners(world.operator, ()) == {}
