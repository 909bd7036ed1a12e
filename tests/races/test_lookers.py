"""Many approvers take up one hold at once: one of them looks, and all the others see who."""

from functools import partial

from tests.builders import World, close
from tests.races.at_once import at_once


def test_one_of_many_takes_a_hold_and_the_others_see_who(world: World) -> None:
    world.limit(10**6, approval_above=100)
    people = [world.approver(f"approver {n}", owner=f"person{n}") for n in range(8)]
    other = world.another_process()
    desks = (world.app.approval_desk.attention, other.approval_desk.attention)
    try:
        for _ in range(5):
            hold = world.request(world.caller(), world.payment(5000), 1500).hold or ""
            told = at_once([partial(desks[n % 2].look, person, hold) for n, person in enumerate(people)])
            (looker,) = {one.person for one in told}
            found = {one.hold.id: one.attention.looker for one in world.app.approval_desk.waiting(people[0])}
            assert (shown := found[hold]) is not None
            assert shown.person == looker
    finally:
        close(other)
