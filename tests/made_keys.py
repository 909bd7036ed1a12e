"""Keys that an operator makes, as whoever was shown their secrets may come with them."""

from governor.domain.credentials import Kind, Role
from governor.usecases.callers import Caller
from governor.usecases.credential_drafts import CredentialDraft
from tests.builders import World, fresh_key


def made(world: World, by: Caller, role: Role, owner: str) -> Caller:
    """Whoever comes with a new key in this person's name."""
    kind = Kind.PROGRAM if role is Role.AGENT else Kind.HUMAN
    draft = CredentialDraft(f"{owner}'s", role, kind, owner)
    key = world.app.manage_credentials.create(by, draft, fresh_key("made"))[1]
    assert key is not None
    return world.app.authenticate(key)
