from collections.abc import Callable

from governor.domain.credentials import Role
from tests.builders import World
from tests.stack import Stack


def test_a_refund_goes_from_http_to_the_provider_and_back(
    world: World, stack_of: Callable[[World], Stack]
) -> None:
    world.limit(2000)
    key, payment = world.key(Role.AGENT), world.payment(5000)
    stack = stack_of(world)
    stack.start("web", "relay", "worker")
    sent = {"payment": payment, "amount": 1500, "currency": "usd"}
    headers = {"Idempotency-Key": "journey-1", "Prefer": "wait=20"}
    status, _, body = stack.call("POST", "/api/v1/refund-requests", key, sent, **headers)
    assert (status, body["state"], body["money_moved"]) == (200, "succeeded", "yes")
    assert [write["amount"] for write in world.writes(payment)] == [1500]
    again, told, same = stack.call("POST", "/api/v1/refund-requests", key, sent, **headers)
    assert (again, told["Idempotent-Replayed"], same["id"]) == (200, "true", body["id"])
