"""What happens by itself: calls and replies travel, time passes, banks and others act, processes die."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from governor.domain.payments import Dispute
from governor.sim.stage import Actor
from governor.sim.world import AMOUNTS, World

A_MOMENT = timedelta(milliseconds=700)
SLEEPS = tuple(timedelta(seconds=one) for one in (20, 200, 400, 400, 3600, 90000))
"""For how long a process stands still: within its deadline, past its lease, past the life of a key."""
NOT_LONG = timedelta(minutes=5)
DEADLINE = timedelta(seconds=31)
"""Longer than any call is waited for."""
LATEST_FAILURE = timedelta(days=30)
"""A refund can fail at the bank so long after it succeeded (STRIPE.md §5)."""


def awake(world: World) -> list[Actor]:
    """Everybody whose process runs."""
    return [actor for actor in world.stage.actors if actor.asleep_until <= world.clock.passed]


def go_on(world: World) -> str:
    """Somebody who can goes on, or falls asleep."""
    ready = [actor for actor in awake(world) if actor.ready()]
    if not ready:
        return "nobody is ready"
    actor = world.random.choice(ready)
    # A reply that is there and not yet recorded is what everything else must not be misled by.
    likely = world.swarm.pause * (4 if actor.at == "reply" else 1)
    return _sleep(world, actor) if world.random.random() < likely else resume(world, actor)


def _sleep(world: World, actor: Actor) -> str:
    span = world.random.choice(SLEEPS)
    actor.asleep_until = world.clock.passed + span
    return f"{actor.name} stands still before {actor.at} for {span}"


def outrun(world: World) -> list[Actor]:
    """Who stands still with a reply at hand, while another call of the same request is under way."""
    under_way = {call.order.request_id for call in world.network.calls}
    asleep = (actor for actor in world.stage.actors if actor.asleep_until > world.clock.passed)
    return [actor for actor in asleep if actor.about in under_way and actor.ready()]


def wake(world: World) -> str:
    """A process that was outrun goes on at the worst moment."""
    actor = world.random.choice(outrun(world))
    actor.asleep_until = world.clock.passed
    return resume(world, actor)


def resume(world: World, actor: Actor) -> str:
    """This one goes on."""
    before = actor.at
    world.stage.resume(actor)
    world.watch()
    return f"{actor.name}: {before} → {actor.at}"


def travel(world: World) -> str:
    """A call or a reply moves on."""
    call = world.random.choice(world.network.moving)
    world.provider.next_status = world.random.choice(("succeeded", "succeeded", "pending"))
    moved = world.network.move_on(call)
    world.watch()
    return f"{call.order.request_id}: {moved}"


def crash(world: World) -> str:
    """A process dies."""
    actor = world.random.choice(awake(world))
    before = actor.at
    world.stage.crash(actor)
    return f"{actor.name} died before {before}"


def time_passes(world: World) -> str:
    """A moment, minutes, hours or days. All but moments find everybody at rest, or those whose process runs."""
    draw = world.random
    span = draw.choices(
        (A_MOMENT, timedelta(seconds=20), timedelta(minutes=2), timedelta(hours=2), timedelta(days=4)),
        (30, 25, 25, 8, 6),
    )[0]
    span *= draw.random() * 2
    if not world.swarm.pause or span > NOT_LONG:
        settle_down(world)
    world.clock.passed += span
    if draw.random() < world.swarm.clock_wrong:
        world.clock.wrong_by = timedelta(minutes=draw.randint(-60, 60))
    world.network.let_time_pass()
    return f"it is {world.clock.true_now():%d %b %H:%M:%S}, the database says {world.clock.now():%H:%M:%S}"


def settle_down(world: World) -> None:
    """Everybody finishes what they are at; nobody new comes."""
    while running := awake(world):
        ready = any(actor.ready() for actor in running)
        if world.network.moving and (not ready or world.random.random() < 0.5):
            world.trace.append(f"     {travel(world)}")
        elif ready:
            world.trace.append(f"     {go_on(world)}")
        else:
            world.clock.passed += DEADLINE
            world.trace.append(f"     {DEADLINE} pass")


def elsewhere(world: World) -> str:
    """Something happens at the provider that governor did not do."""
    return world.random.choice(_ELSEWHERE)(world)


def _refund(world: World) -> str:
    amount, payment = world.random.choice(AMOUNTS), world.random.choice(world.payments)
    made = world.provider.refund_elsewhere(payment, amount)
    return f"{amount} of {payment} refunded elsewhere" if made else "nothing left to refund elsewhere"


def _dispute(world: World) -> str:
    payment, dispute = world.random.choice(world.payments), world.random.choice(list(Dispute))
    world.provider.dispute(payment, dispute)
    return f"dispute of {payment}: {dispute}"


def _bank(world: World) -> str:
    """A pending refund becomes final, or a succeeded one fails late."""
    now = world.clock.true_now()
    movable = [
        one.refund
        for one in world.provider.made
        if one.refund.status in {"pending", "succeeded"}
        and one.refund.created_at is not None
        and now - one.refund.created_at < LATEST_FAILURE
    ]
    if not movable:
        return "no refund is with a bank"
    refund = world.random.choice(movable)
    fails = world.random.random() < (0.5 if refund.status == "succeeded" else 0.2)
    world.provider.move(refund.id, "failed" if fails else "succeeded")
    return f"{refund.id} {'failed' if fails else 'succeeded'} at the bank"


_ELSEWHERE: tuple[Callable[[World], str], ...] = (_refund, _dispute, _bank, _bank, _bank)


def all_final_at_the_bank(world: World) -> None:
    """No refund stays pending."""
    for one in list(world.provider.made):
        if one.refund.status == "pending":
            world.provider.move(one.refund.id, "succeeded")
