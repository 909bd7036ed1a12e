"""The list of refund requests, and the page of one."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from tests.builders import World
from tests.console.browsing import Visitor

LIST = "/console/e/test/refund-requests"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(1_000_000)


@pytest.mark.parametrize("role", list(Role))
def test_everybody_sees_what_was_asked_for(
    world: World, visitor: Callable[[Role], Visitor], role: Role
) -> None:
    request = world.request(world.caller(), world.payment(5000), 1240)
    page = visitor(role).get(LIST)
    assert page.status == 200
    assert f"{LIST}/{request.id}" in page.links
    assert "$12.40" in page.text
    one = visitor(role).get(f"{LIST}/{request.id}")
    assert one.status == 200
    assert "Task Open Effect No money moved" in one.text
