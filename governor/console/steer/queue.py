"""The queue: what waits to be sent, what it waits for, and what is under way."""

from __future__ import annotations

from flask import Response

from governor.console.page import Group, Page
from governor.console.steer.alarms import missing_processes
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.processes import ProcessKind
from governor.ports.queue import Heap

QUEUE = "/queue"
HEAPS: tuple[tuple[Heap, str, str], ...] = (
    (
        Heap.READY,
        "Can be sent now",
        "A worker takes these, the oldest first, as fast as Stripe lets it.",
    ),
    (Heap.LEASED, "Being sent", "A worker has each of these under a lease; its call may be under way."),
    (
        Heap.PARKED,
        "Waits for room",
        "A limit that came later has no room yet. It is looked at again every minute.",
    ),
    (Heap.FROZEN, "Stopped by a freeze", "Somebody has stopped these. They go on when the freeze ends."),
    (Heap.BEHIND, "Behind another refund", "Another refund of the same payment is under way or in doubt."),
    (Heap.LATER, "Tried again later", "These were tried, or wait for their time."),
)
"""What each heap is called, and what it waits for, in the order in which people look at them."""

MOVING = frozenset({ProcessKind.RELAY, ProcessKind.WORKER, ProcessKind.CRON})
"""Who moves the queue on."""


def _show(visit: Visit) -> Response:
    queue = visit.use.see_queue(visit.caller)
    found = [(heap, words, why, queue.heaps[heap]) for heap, words, why in HEAPS if heap in queue.heaps]
    attendance = visit.use.oversight.processes([visit.caller.environment])
    moving = [one for one in attendance if one.kind in MOVING]
    alarms = [*missing_processes(moving)]
    return visit.show("queue.html", queue=queue, heaps=found, moving=moving, alarms=alarms)


PAGES = (
    Page(
        "GET",
        QUEUE,
        _show,
        (Role.OPERATOR, Role.AUDITOR),
        "Queue",
        group=Group.OPERATIONS,
        label="Queue",
    ),
)
