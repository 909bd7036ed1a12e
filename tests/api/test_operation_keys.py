from tests.api.people import People
from tests.api.test_refund_requests import PATH, wish
from tests.builders import World, fresh_key


def test_a_tool_that_has_no_key_of_its_own_gets_nothing_and_with_one_it_gets_one_refund(
    people: People, world: World
) -> None:
    """Case 11: an agent's tool calls three times. Without a key that names the intent, nothing is decided."""
    world.limit(1_000_000)
    asked = wish(world.payment(5000), 900)
    for _ in range(3):
        got = people.agent.send("POST", PATH, asked, Idempotency_Key=None)
        assert (got.status, got.code) == (400, "idempotency_key_missing")
    key = fresh_key()
    answers = [people.agent.post(PATH, asked, Idempotency_Key=key) for _ in range(3)]
    assert len({answer.json["id"] for answer in answers}) == 1


def test_a_key_that_names_another_intent_is_refused(people: People, world: World) -> None:
    world.limit(1_000_000)
    key, payment = fresh_key(), world.payment(5000)
    people.agent.post(PATH, wish(payment, 900), Idempotency_Key=key)
    got = people.agent.post(PATH, wish(payment, 901), Idempotency_Key=key)
    assert (got.status, got.code) == (422, "idempotency_key_reused")
