"""Draining: as many provider calls in flight as the environment's rate needs, until nothing is due."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event

from governor.bootstrap import Application
from governor.checkpoint import checkpoint
from governor.domain.requests import RefundRequest
from governor.logging import what_broke
from workers.process import log

CALLS_IN_FLIGHT = 16
"""A call takes 300–600 ms: 25 a second need about a dozen at once (RUNNING.md §0)."""

DRAIN_SECONDS = 20.0
"""For how long one job claims. What is left is rung for again, so that a worker asked to stop can stop."""

NEXT_TOKEN_SECONDS = 0.02
"""How soon to look again while calls are under way: a token of the rate may have come."""


def drain(app: Application, request_id: str) -> int:
    """Claim and send until nothing is due, then look at what is in doubt.

    An invented or final id finds nothing to do.
    """
    checkpoint("job.started")
    environment = app.dispatch_refund.environment_of(request_id)
    if environment is None:
        log.warning("job.unknown_request")
        return 0
    sent, until = 0, app.dispatch_refund.monotonic() + DRAIN_SECONDS
    running: set[Future[RefundRequest]] = set()
    with ThreadPoolExecutor(CALLS_IN_FLIGHT, thread_name_prefix="call") as pool:
        while True:
            over = app.dispatch_refund.monotonic() >= until
            free = 0 if over else CALLS_IN_FLIGHT - len(running)
            claims = app.dispatch_refund.claim(environment, free) if free else []
            running |= {pool.submit(app.dispatch_refund.send, claim) for claim in claims}
            sent += len(claims)
            if not running and (over or not app.dispatch_refund.may_go_on(environment)):
                break
            done, running = _next_moment(running)
            for future in done:
                _report(future)
    if app.recover_refund.due(environment):
        app.recover_refund(environment)
    if over and app.dispatch_refund.may_go_on(environment):
        app.doorbell.ring(request_id)
    return sent


def _next_moment(running: set[Future[RefundRequest]]) -> tuple[set[Future[RefundRequest]], ...]:
    """Wait until a call is done or a token may have come; with no call under way `wait` would not wait at all."""
    if not running:
        Event().wait(NEXT_TOKEN_SECONDS)
    return wait(running, NEXT_TOKEN_SECONDS, FIRST_COMPLETED)


def _report(future: Future[RefundRequest]) -> None:
    """One request's failure is logged and left to its lease; the others go on."""
    error = future.exception()
    if error is not None:
        log.error("dispatch.failed", **what_broke(error))
    else:
        request = future.result()
        log.info("dispatch.done", request=request.id, state=request.state.value, reason=request.last_reason)
