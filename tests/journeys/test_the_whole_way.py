from collections.abc import Callable
from typing import Any

from governor.domain.credentials import Role
from tests.builders import World
from tests.stack import Stack, eventually


def test_a_refund_goes_from_http_to_the_provider_and_back(
    world: World, stack_of: Callable[[World], Stack]
) -> None:
    world.limit(2000)
    key, payment = world.key(Role.AGENT), world.payment(5000)
    stack = stack_of(world)
    stack.start("web", "relay", "worker")
    sent = {"payment": payment, "amount": 1500, "currency": "usd"}
    headers = {"Idempotency-Key": "journey-1", "Prefer": "wait=20"}

    def asked() -> tuple[int, dict[str, str], Any]:
        return stack.call("POST", "/api/v1/refund-requests", key, sent, **headers)

    # Whoever is still waiting when their wait is over asks again.
    eventually(lambda: asked()[2]["task"] == "done", lambda: stack.said("worker"))
    status, told, body = asked()
    assert (status, told["Idempotent-Replayed"]) == (200, "true")
    assert (body["state"], body["money_moved"]) == ("succeeded", "yes")
    assert [write["amount"] for write in world.writes(payment)] == [1500]
