"""Who calls, whose the object is, and the objects themselves, for the authorization matrix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from governor.domain.limits import Limit, Scope
from governor.domain.outcome import Outcome, Reply
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.credential_drafts import CredentialDraft
from tests.api.ownership import NOWHERE
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider

HELD = "cus_held"
"""Refunds of this customer's payments wait for approval."""
_numbers = count(1)
_TIMEOUT = Reply(Outcome.UNKNOWN, "read_timeout")


@dataclass(frozen=True)
class Scene:
    """Who calls, and of what: `owner` asked for the object, or is it. `world` is where the object is."""

    world: World
    key: str
    caller: Caller
    owner: Caller


def stage(world: World) -> None:
    """Let an environment decide refunds, and have some of this customer's wait for people."""
    world.limit(1_000_000_000)
    world.limit(1_000_000_000, scope=Scope.CUSTOMER, value=HELD, approval_above=0)


def cast(home: World, away: World, role: Role, relation: str, *, of_credentials: bool) -> Scene:
    """Somebody of this role, and whoever the object belongs to."""
    key = _key(home, role)
    caller = home.app.authenticate(key)
    if relation in NOWHERE:
        world = away if relation == "elsewhere" else home
        return Scene(world, key, caller, world.app.authenticate(_key(world, Role.AGENT)))
    if relation in {"child", "parent"}:
        below_key = _child(home, caller)
        below = home.app.authenticate(below_key)
        below_it = Scene(home, key, caller, below), Scene(home, below_key, below, caller)
        return below_it[relation == "parent"]
    if relation == "own" and (of_credentials or role is Role.AGENT):
        return Scene(home, key, caller, caller)
    owner = {"owner": caller.credential.owner} if relation == "own" else {}
    other = role if relation == "peer" else Role.AGENT
    return Scene(home, key, caller, home.app.authenticate(_key(home, other, **owner)))


def _key(world: World, role: Role, **fields: Any) -> str:
    kind = Kind.PROGRAM if role is Role.AGENT else Kind.HUMAN
    return world.key(role, f"{role} {next(_numbers)} of {world.environment}", kind=kind, **fields)


def _child(world: World, parent: Caller) -> str:
    key = world.app.manage_credentials.create(parent, CredentialDraft("below", None), fresh_key())[1]
    assert key is not None
    return key


def request_of(scene: Scene, customer: str | None = None) -> RefundRequest:
    """A request that waits to be sent, or for people."""
    return scene.world.request(scene.owner, scene.world.payment(5000, customer=customer), 700)


def held_of(scene: Scene) -> RefundRequest:
    """A request that waits for people."""
    return request_of(scene, HELD)


def doubt_of(scene: Scene) -> RefundRequest:
    """A request whose only call ended in a timeout."""
    assert isinstance(scene.world.provider, FakeProvider)
    scene.world.drain(request_of(scene))  # whatever others have queued, so that the next call is ours
    scene.world.provider.answer_next(_TIMEOUT)
    request = request_of(scene)
    scene.world.drain(request)
    found = scene.world.now(request)
    assert found.state is State.UNKNOWN
    return found


def limit_of(scene: Scene) -> Limit:
    """A cap of one credential."""
    return scene.world.limit(1_000_000, scope=Scope.CREDENTIAL, value=scene.owner.credential.id)
