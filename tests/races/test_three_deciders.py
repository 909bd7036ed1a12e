"""Three people decide one hold in three processes at one instant."""

from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from tests.builders import World, fresh_key
from tests.races.ring import Ring
from tests.rules import a_rule
from tests.twin import Twin


def test_two_approvals_and_a_rejection_at_once_are_one_decision_and_at_most_one_refund(
    world: World, twin: Twin
) -> None:
    """RELIABILITY B6, B9: half the time two approvals are needed. Counted at the provider."""
    world.limit(10**9, approval_above=100)
    agent = world.caller()
    a_rule(world, quorum=2, currency="usd", amount_at_least=1000)
    voters = [world.key(Role.APPROVER, f"approver-{n}", kind=Kind.HUMAN) for n in range(3)]
    with Ring(3) as ring:
        ring.enter(world.app.settings)
        for n in range(20):
            request = world.request(agent, world.payment(5000), (900, 1000)[n % 2])
            said = _decided_at_once(world, ring, request, voters)
            assert said == {world.now(request).state.value}, "everybody hears of the same end"
            for _ in range(2):
                world.drain(request)
            approved = said == {"queued"}
            assert len(twin.writes(request.payment)) == approved
            assert world.now(request).state is (State.SUCCEEDED if approved else State.REJECTED)


def _decided_at_once(world: World, ring: Ring, request: RefundRequest, voters: list[str]) -> set[str]:
    """The ends that those who were heard in time were told."""
    hold, _ = world.app.queries.hold(world.operator, request.hold or "")
    order = {"do": "decide", "hold": hold.id, "digest": hold.digest, "version": hold.version}
    results = ring.race(
        *(
            order | {"caller": voter, "choice": choice, "key": fresh_key()}
            for voter, choice in zip(voters, ("approve", "approve", "reject"), strict=True)
        )
    )
    assert {result["error"] for result in results if "error" in result} <= {"hold_already_decided"}
    return {result["state"] for result in results if "error" not in result} - {"pending_approval"}
