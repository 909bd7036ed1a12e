"""A client that goes away while it waits: a cancelled wait is no cancelled refund (invariant 16)."""

import json
import socket
import struct
from collections.abc import Callable

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.ports.records import RequestFilter
from tests.builders import World
from tests.stack import PATIENCE_SECONDS, Stack, eventually
from workers import cron

PATH = "/api/v1/refund-requests"
KEY = "client-that-goes-away"


def _ask_and_wait(stack: Stack, key: str, asked: dict[str, object]) -> socket.socket:
    """A client that has sent its whole request and waits for the answer."""
    body = json.dumps(asked).encode()
    lines = [
        f"POST {PATH} HTTP/1.1",
        f"Host: 127.0.0.1:{stack.port}",
        f"Authorization: Bearer {key}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"Idempotency-Key: {KEY}",
        "Prefer: wait=25",
    ]
    connection = socket.create_connection(("127.0.0.1", stack.port), timeout=PATIENCE_SECONDS)
    connection.sendall("\r\n".join([*lines, "", ""]).encode("ascii") + body)
    return connection


def _reset(connection: socket.socket) -> None:
    """Go away without a word: the other side gets a reset, not an end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_a_client_that_goes_away_while_it_waits_changes_nothing_about_its_refund(
    world: World, stack_of: Callable[..., Stack]
) -> None:
    """RELIABILITY A19, A20: no cancellation is recorded; it is sent once, and the same key finds it."""
    limit, key, payment = world.limit(2000), world.key(Role.AGENT), world.payment(5000)
    asked: dict[str, object] = {"payment": payment, "amount": 1500, "currency": "usd"}
    stack = stack_of(world)
    stack.start("web")
    of_payment = RequestFilter(payments=(payment,))

    def made() -> list[State]:
        found = world.app.queries.requests(world.operator, of_payment, after=None, at_most=10)
        return [request.state for request in found]

    waiting = _ask_and_wait(stack, key, asked)
    eventually(lambda: made() == [State.QUEUED], lambda: stack.said("web"))
    _reset(waiting)
    (request,) = world.app.queries.requests(world.operator, of_payment, after=None, at_most=10)
    assert (request.cancel_requested_at, world.headroom(limit)) == (None, 500)
    stack.start("worker")
    cron.run_once(world.app, sweep=True)
    eventually(lambda: made() == [State.SUCCEEDED], lambda: stack.said("worker"))
    status, headers, body = stack.call("POST", PATH, key, asked, **{"Idempotency-Key": KEY})
    assert (status, headers["Idempotent-Replayed"]) == (200, "true")
    assert (body["id"], body["task"], body["cancel_requested_at"]) == (request.id, "done", None)
    assert [write["amount"] for write in world.writes(payment)] == [1500]
