"""More waits than the inbox looks through: it says so, and takes nothing that it does not show for gone."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.usecases import approval_desk
from tests.builders import World
from tests.console.browsing import Visitor

INBOX = "/console/e/test/holds"


def test_a_list_that_is_not_all_says_so_and_never_that_nothing_waits(
    world: World, visitor: Callable[[Role], Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.limit(10_000_000, approval_above=10_000)
    ben = visitor(Role.APPROVER)
    first, second = (
        world.request(world.caller(owner=owner), world.payment(50_000, customer="cus_of_both"), 20_000)
        for owner in ("ben", "olga")
    )
    page = ben.get(f"{INBOX}?view=team")
    assert "More wait" not in page.text
    lines = [one.attributes["value"] for one in page.all("input", name="line")]
    assert len(lines) == 1, "not what he has asked for himself"
    monkeypatch.setattr(approval_desk, "AT_MOST", 1)
    mine = ben.get(INBOX).text
    assert "More wait than these 1" in mine
    assert "Nothing waits for you" not in mine
    assert first.payment in ben.get(f"{INBOX}?view=team").text
    several = ben.send(page.form("Look at the selected ones"), line=lines).text
    assert second.payment in several
    assert "waits no more" not in several
    assert "More waits than is looked through at once" in several
