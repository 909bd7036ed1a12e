import pytest

from governor.domain.credentials import Role
from governor.domain.limits import Scope
from tests.api.people import People
from tests.builders import World

PATH = "/refund-requests"


@pytest.fixture(scope="module", autouse=True)
def _limits(world: World) -> None:
    world.limit(1_000_000)
    world.limit(1000, scope=Scope.CUSTOMER, value="cus_full")


@pytest.fixture(params=list(Role))
def role(request: pytest.FixtureRequest) -> Role:
    return Role(request.param)


def test_a_note_is_shown_to_its_own_agent_and_to_overseers(people: People, world: World, role: Role) -> None:
    asked = {"payment": world.payment(5000), "amount": 100, "currency": "usd", "note": "lives in Elm Street"}
    made = people.other_agent.post(PATH, asked).json
    assert made["note"] == "lives in Elm Street"
    for found in (
        people.with_role(role).get(f"{PATH}/{made['id']}").json,
        people.with_role(role).get(f"{PATH}?payment={asked['payment']}").json["data"][0],
    ):
        assert found["id"] == made["id"]
        assert found["note"] == (None if role is Role.AGENT else "lives in Elm Street")


def test_who_holds_a_limit_is_named_without_its_request_to_agents(
    people: People, world: World, role: Role
) -> None:
    def asked(amount: int) -> dict[str, object]:
        return {"payment": world.payment(5000, customer="cus_full"), "amount": amount, "currency": "usd"}

    people.other_agent.post(PATH, asked(700))
    denied = people.agent.post(PATH, asked(999)).json["refund_request"]["id"]
    lines = people.with_role(role).get(f"{PATH}/{denied}").json["limits"]
    holders = next(line for line in lines if line["value"] == "cus_full")["held_by"]
    fields = {"hold", "amount"} if role is Role.AGENT else {"hold", "amount", "refund_request"}
    assert holders
    assert all(set(holder) == fields for holder in holders)
