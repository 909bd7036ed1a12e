"""The audit trail for people: what changed, who did it, and what leads on from there."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text

from governor.domain.credentials import Role
from governor.domain.rules import Conditions, Consequence, Effect, RuleMode
from governor.domain.trail_care import KeptIn
from governor.usecases.rule_drafts import RuleDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Visitor
from workers import cron

TRAIL = "/console/e/test/audit"


@pytest.fixture
def eve(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.AUDITOR)


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(1_000_000)


def test_a_change_is_told_with_what_was_before_and_what_is_after(world: World, eve: Visitor) -> None:
    limit = world.limit(70_000)
    world.change_cap(limit, 50_000)
    page = eve.get(f"{TRAIL}?object={limit.id}")
    newest = page.all("li", class_="sheet")[0].text
    assert newest.startswith("Limit changed")
    assert "cap 70000 → 50000" in newest
    assert f"/console/e/test/find?q={limit.id}" in page.links


def test_what_was_made_is_told_in_words_and_not_as_it_is_kept(world: World, eve: Visitor) -> None:
    consequence = Consequence(Effect.APPROVAL, 2, approvers=("ben", "bo"))
    draft = RuleDraft("two people", RuleMode.ENFORCE, None, Conditions(), consequence)
    rule, _ = world.app.rules.change.create(world.operator, draft, fresh_key("rule"))
    (row,) = eve.get(f"{TRAIL}?object={rule.id}").all("li", class_="sheet")
    assert "then effect approval , quorum 2 , approvers ben , bo" in row.text
    assert "when none" in row.text
    assert [sign for sign in ("{", "'", "None") if sign in row.text] == []


def test_older_rows_are_behind_the_newer_ones_with_the_same_filters(world: World, eve: Visitor) -> None:
    for _ in range(3):
        world.request(world.caller(), world.payment(5000), 100)
    first = eve.get(f"{TRAIL}?action=refund_request.admitted&limit=2")
    older = eve.get(first.all("a", rel="next")[0].attributes["href"])
    rows = [one.attributes["id"] for page in (first, older) for one in page.all("li", class_="sheet")]
    numbers = [int(row.removeprefix("row-")) for row in rows]
    assert len(numbers) >= 3
    assert numbers == sorted(set(numbers), reverse=True)
    assert all("admitted" in one.text for one in older.all("li", class_="sheet"))


@pytest.mark.parametrize(
    ("query", "words", "asked"),
    [
        ("", "", ""),
        ("?from=2&to=4", " rows from 2 to 4", "?from=2&to=4"),
        ("?from=2026-11-01", " rows from 2026-11-01 on", "?from=2026-11-01"),
        ("?to=4", " rows up to 4", "?to=4"),
        ("?action=limit.created&from=2&to=4", "", ""),
        ("?object=lim_none&to=4", "", ""),
    ],
)
def test_verify_and_export_say_which_rows_they_take_and_promise_nothing_of_a_filter(
    eve: Visitor, query: str, words: str, asked: str
) -> None:
    offers = {
        one.attributes["href"]: one.text
        for one in eve.get(f"{TRAIL}{query}").all("a")
        if "/runs/new/" in one.attributes.get("href", "")
    }
    new = "/console/e/test/runs/new"
    assert offers == {
        f"{new}/verify-trail{asked}": f"Verify{words}",
        f"{new}/export-trail{asked}": f"Export{words}",
    }


def test_filtering_again_keeps_every_action_that_was_chosen(world: World, eve: Visitor) -> None:
    world.change_cap(world.limit(70_000), 60_000)
    page = eve.get(next(one for one in eve.get(TRAIL).links if "action=limit.created" in one))
    again = eve.send(page.form("Filter"))
    shown = [[one.attributes["id"] for one in seen.all("li", class_="sheet")] for seen in (page, again)]
    assert shown[0] == shown[1] != []
    form = page.form("Filter")
    assert len([name for name, value in form.fields if name == "action" and value]) > 3
    narrowed = eve.send(form, action=["limit.changed"])
    rows = [one.text for one in narrowed.all("li", class_="sheet")]
    assert {row.startswith("Limit changed") for row in rows} == {True}


def test_the_chain_says_how_long_it_is_and_when_somebody_last_looked(world: World, eve: Visitor) -> None:
    cron.anchor(world.app)
    page = eve.get(TRAIL)
    assert re.search(
        r"The chain : \d+ rows; (never verified|rows 1 to \d+ verified .*); anchored just now", page.text
    )
    assert re.search(r"Its rows 1 to \d+, each sealing the one before", page.text)
    assert "in the log of cron, as audit.anchor, not signed" in page.text
    assert "older than two hours" not in page.text
    anchor = world.app.audit.anchor(world.environment)
    old = (world.app.store.now() - timedelta(hours=3)).isoformat()
    with world.app.engine.begin() as connection:
        connection.execute(text("UPDATE trail_care SET anchored_at = :old"), {"old": old})
    assert "The last anchor is older than two hours" in eve.get(TRAIL).text
    world.app.audit.care.anchored(anchor, KeptIn.COMMAND)


def test_a_row_says_with_which_key_in_which_call_and_from_where_or_that_it_is_not_recorded(
    world: World, eve: Visitor
) -> None:
    asked = eve.send(eve.get("/console/e/test/runs/new/verify-trail").form("Begin"))
    run = asked.address.rpartition("/")[2]
    (row,) = eve.get(f"{TRAIL}?object={run}&action=run.asked").all("li", class_="sheet")
    assert re.search(
        r"With the key cred_\w+ In the call req_\w+ From the address 127\.0\.0\.1 Under revision", row.text
    )
    made = world.caller(name="made on the host").credential.id
    (row,) = eve.get(f"{TRAIL}?object={made}").all("li", class_="sheet")
    assert "With the key host In the call not recorded From the address not recorded" in row.text


@pytest.mark.parametrize("query", ["from=yesterday", "object=%00", "actions=x"])
def test_a_filter_that_means_nothing_shows_nothing_instead_of_everything(eve: Visitor, query: str) -> None:
    assert eve.get(f"{TRAIL}?{query}").status == 400


def test_no_note_of_a_customer_is_in_it(world: World, eve: Visitor) -> None:
    request = world.request(world.caller(), world.payment(5000), 100, note="call me at anna@example.com")
    page = eve.get(f"{TRAIL}?object={request.id}")
    assert page.all("li", class_="sheet")
    assert "anna" not in page.html
