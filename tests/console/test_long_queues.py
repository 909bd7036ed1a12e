"""More waits than the inbox looks through: it says so, and takes nothing that it does not show for gone."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.usecases import approval_desk
from tests.builders import World, fresh_key
from tests.console.browsing import Seen, Visitor
from tests.environment import change_settings

INBOX = "/console/e/test/holds"


def test_a_list_that_is_not_all_says_so_and_never_that_nothing_waits(
    world: World, visitor: Callable[[Role], Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    world.limit(10_000_000, approval_above=10_000)
    ben = visitor(Role.APPROVER)
    first = world.request(world.caller(owner="ben"), world.payment(50_000, customer="cus_of_both"), 20_000)
    change_settings(world, approval_seconds=7 * 86400)
    second = world.request(world.caller(owner="olga"), world.payment(50_000, customer="cus_of_both"), 20_000)
    page = ben.get(f"{INBOX}?view=team")
    assert "More wait" not in page.text
    assert _tabs(page) == ["For me 1", "All 2", "Ending soon 1", "Decided by me"]
    lines = [one.attributes["value"] for one in page.all("input", name="line")]
    assert len(lines) == 1, "not what he has asked for himself"
    monkeypatch.setattr(approval_desk, "AT_MOST", 1)
    mine = ben.get(INBOX)
    assert "More wait than these 1" in mine.text
    assert "Nothing waits for you" not in mine.text
    # What is not looked through ends later than what is.
    assert _tabs(mine) == ["For me 0+", "All 1+", "Ending soon 1", "Decided by me"]
    assert "(0+) " in mine.all("title")[0].text
    cleos = visitor(Role.OPERATOR).get(INBOX)
    assert "(" not in cleos.all("title")[0].text, "nothing waits for whoever only looks"
    attention = world.app.approval_desk.attention
    attention.escalate(world.approver(), first.hold or "", None, "Look at this.", fresh_key())
    assert _tabs(ben.get(INBOX))[2] == "Ending soon 1+", "nobody knows when the rest ends"
    assert first.payment in ben.get(f"{INBOX}?view=team").text
    several = ben.send(page.form("Look at the selected ones"), line=lines).text
    assert second.payment in several
    assert "waits no more" not in several
    assert "More waits than is looked through at once" in several


def _tabs(page: Seen) -> list[str]:
    (tabs,) = page.all("nav", class_="tabs")
    return [one.text for one in tabs.all() if one.tag == "a"]
