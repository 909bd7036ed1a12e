"""A world with approvers who are away, and others who stand in for them.

A test module takes what it needs: `from tests.usecases.standing_in import lea as lea`.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.errors import GovernorError
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.domain.stand_ins import StandIn
from governor.usecases.callers import Caller
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.stand_ins import StandInDraft
from tests.builders import World, fresh_key
from tests.rules import a_rule

WEEK = timedelta(days=7)


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    built = new_world(clock=True)
    built.limit(100_000)
    return built


def approver(world: World, login: str, up_to: dict[str, int] | None = None) -> Caller:
    draft = CredentialDraft(login, Role.APPROVER, Kind.HUMAN, login, None, approve_up_to=up_to)
    return world.app.authenticate(world.app.manage_credentials.found("test", draft)[1])


@pytest.fixture
def lea(world: World) -> Caller:
    """The lead, whom the rules ask for."""
    a_rule(world, approvers=("lea",))
    return approver(world, "lea")


@pytest.fixture
def sam(world: World) -> Caller:
    return approver(world, "sam")


def named(world: World, away: Caller, other: Caller, *, after: timedelta | None = None) -> StandIn:
    begins_at = None if after is None else world.app.store.now() + after
    ends_at = world.app.store.now() + (after or timedelta()) + WEEK
    draft = StandInDraft(other.credential.owner, begins_at, ends_at)
    return world.app.stand_ins(away, draft, fresh_key("stand-in"))


def held(world: World, amount: int = 1500, asker: Caller | None = None) -> RefundRequest:
    request = world.request(asker or world.caller(), world.payment(5000), amount)
    assert request.state is State.PENDING_APPROVAL
    return request


def said(world: World, approver: Caller, request: RefundRequest, choice: Choice = Choice.APPROVE) -> str:
    """The state that it comes to, or the code of the refusal."""
    try:
        return world.decide(approver, request, choice).state
    except GovernorError as refusal:
        return refusal.code
