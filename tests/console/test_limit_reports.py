"""The auditor's report of what was said of limits."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from governor.domain.credentials import Role
from governor.domain.limits import Scope
from governor.domain.seen import AsSeen
from governor.usecases.limit_series import Saying
from tests.builders import World, limit_draft
from tests.console.browsing import Visitor
from tests.console.reading_reports import REPORTS, file_of, lines

OF_SOMEBODY: dict[str, Any] = {"scope": Scope.CUSTOMER, "value": "cus_somebody"}
"""Of a limit that binds nobody here."""


@pytest.fixture
def eve(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.AUDITOR)


def test_what_somebody_said_of_a_limit_is_told_with_its_reason_and_both_caps(
    world: World, eve: Visitor
) -> None:
    limit = world.limit(70_000, **OF_SOMEBODY)
    draft = limit_draft(50_000, **OF_SOMEBODY)
    said = Saying("=HYPERLINK(1) a quiet week")
    world.app.change_limit.update(world.operator, limit.id, draft, AsSeen(limit.revision), said)
    page = eve.get(f"{REPORTS}/limit-changes")
    newest = lines(page)[0]
    assert "Limit changed" in newest
    assert "$700.00 USD → $500.00 USD" in newest
    assert "=HYPERLINK(1) a quiet week" in newest
    first = file_of(eve.get(f"{REPORTS}/limit-changes/csv"))[0]
    assert (first["limit"], first["cap_before"], first["cap_after"], first["cap_unit"]) == (
        limit.id,
        "700.00",
        "500.00",
        "usd",
    )
    assert first["why"] == "'=HYPERLINK(1) a quiet week"
    assert first["limit_in_words"].startswith("At most $500.00 a day for")
    assert first["limit_in_words"] in newest
    row = eve.get(f"/console/e/test/audit?from={first['trail_row']}&to={first['trail_row']}")
    assert row.all("li", class_="sheet")[0].text.startswith("Limit changed")


def test_a_raise_for_a_time_says_that_it_allows_more_from_when_until_when(world: World, eve: Visitor) -> None:
    limit = world.limit(1000, **OF_SOMEBODY)
    now = world.app.store.now()
    said = Saying("a fair", now + timedelta(days=1), now + timedelta(days=3))
    world.app.change_limit.update(
        world.operator, limit.id, limit_draft(2000, **OF_SOMEBODY), AsSeen(limit.revision), said
    )
    newest = file_of(eve.get(f"{REPORTS}/limit-changes/csv"))[0]
    assert newest["action"] == "Limit changed, allows more"
    assert newest["begins_later"].startswith(f"{now + timedelta(days=1):%Y-%m-%dT%H:%M:%S}")
    assert newest["until"].startswith(f"{now + timedelta(days=3):%Y-%m-%dT%H:%M:%S}")
