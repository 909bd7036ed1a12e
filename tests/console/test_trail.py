"""The audit trail for people: what changed, who did it, and what leads on from there."""

import ast
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import text

from governor.console.action_words import ACTIONS
from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.rules import Conditions, Consequence, RuleEffect, RuleMode
from governor.domain.trail_care import KeptIn
from governor.usecases.rule_drafts import RuleDraft
from tests.architecture.tree import ROOT
from tests.builders import World, fresh_key
from tests.console.browsing import Visitor
from workers import cron

TRAIL = "/console/e/test/audit"
_ACTION = r"(refund_request|hold|limit|rule|credential|person|environment|freeze|external_refund|endpoint|stand_in)\.[a-z_]+"


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
    assert "cap $700.00 → $500.00" in newest
    assert "At most $500.00 a day for everybody together" in newest
    assert f"/console/e/test/find?q={limit.id}" in page.links


def test_a_decision_is_told_with_what_was_said_how_much_and_by_whom(world: World, eve: Visitor) -> None:
    asker, approver = world.caller(owner="Ana Asker"), world.approver("bo", owner="Bo Approver")
    world.limit(1_000_000, approval_above=100)
    request = world.request(asker, world.payment(5000), 900)
    world.decide(approver, request, Choice.APPROVE_LESS, amount=400)
    rows = [one.text for one in eve.get(f"{TRAIL}?object={request.id}").all("li", class_="sheet")]
    decided, asked = rows[-2:]
    assert decided.startswith("Approved in part $4.00 of $9.00 by Bo Approver , ")
    assert asked.startswith("Asked for, and held for approval $9.00 by Ana Asker , ")


def test_everything_that_a_person_did_is_found_by_their_name_whichever_key_they_used(
    world: World, eve: Visitor
) -> None:
    keys = [world.caller(name=f"key {n}", owner="Mia M. Miller") for n in range(2)]
    requests = [world.request(key, world.payment(5000), 100) for key in keys]
    page = eve.get(f"{TRAIL}?actor=%20Mia+M.+Miller%20")
    rows = page.all("li", class_="sheet")
    assert len(rows) == len(requests)
    assert [one.id in page.html for one in requests] == [True, True]
    assert f"{TRAIL}?actor={keys[0].credential.id}" in page.links
    assert f"{TRAIL}?actor=Mia+M.+Miller" in page.links


def test_what_is_often_asked_keeps_who_and_when_was_asked_for(eve: Visitor) -> None:
    page = eve.get(f"{TRAIL}?actor=ana&from=2026-11-01")
    (limits,) = [one for one in page.links if "action=limit.created" in one]
    assert limits.startswith(f"{TRAIL}?actor=ana&from=2026-11-01&action=")
    (here,) = eve.get(limits).all("a", aria_current="true", class_="chip")
    assert here.text == "Limits"


def test_a_day_is_in_a_period_to_its_end(world: World, eve: Visitor) -> None:
    world.request(world.caller(), world.payment(5000), 100)
    today = world.app.store.now().date()
    assert eve.get(f"{TRAIL}?from={today - timedelta(days=1)}&to={today}").all("li", class_="sheet")
    assert eve.get(f"{TRAIL}?from={today}&to={today}T00:00:00Z").all("li", class_="sheet") == []


def _written(path: Path) -> Iterator[str]:
    """What a use case calls something in a row: a text that it gives to nobody but `entry`, by whatever way."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    elsewhere = {
        named
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "checkpoint"
        for named in call.args
    }
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and one not in elsewhere and re.fullmatch(_ACTION, str(one.value)):
            yield str(one.value)


def test_every_action_that_is_written_has_words() -> None:
    found = {word for path in (ROOT / "governor" / "usecases").glob("*.py") for word in _written(path)}
    assert len(found) > 40
    assert found - set(ACTIONS) == set()


def test_what_was_made_is_told_in_words_and_not_as_it_is_kept(world: World, eve: Visitor) -> None:
    consequence = Consequence(RuleEffect.APPROVAL, 2, approvers=("ben", "bo"))
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
    assert all(one.text.startswith("Asked for, and ") for one in older.all("li", class_="sheet"))


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
    assert {row.text.split(" by ")[0] for row in page.all("li", class_="sheet")} >= {
        "Limit made",
        "Limit changed",
    }
    one = eve.send(eve.get(TRAIL).form("Filter"), action="limit.changed")
    assert {row.text.split(" by ")[0] for row in one.all("li", class_="sheet")} == {"Limit changed"}


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


@pytest.mark.parametrize("query", ["object=%00", "actions=x", "from=%07"])
def test_a_filter_that_means_nothing_shows_nothing_instead_of_everything(eve: Visitor, query: str) -> None:
    assert eve.get(f"{TRAIL}?{query}").status == 400


@pytest.mark.parametrize("typed", ["1 Nov", "2026-13-01", "²", "-5", "9" * 19])
def test_a_bound_that_cannot_be_read_is_told_of_at_its_field_with_everything_that_was_typed(
    eve: Visitor, typed: str
) -> None:
    page = eve.get(f"{TRAIL}?actor=ana&to={quote(typed)}")
    assert page.status == 422
    assert "Type a date like 2026-11-30" in page.text
    assert [page.all("input", name=name)[0].attributes["value"] for name in ("actor", "to")] == ["ana", typed]
    assert page.all("li", class_="sheet") == []


def test_no_note_of_a_customer_is_in_it(world: World, eve: Visitor) -> None:
    request = world.request(world.caller(), world.payment(5000), 100, note="call me at anna@example.com")
    page = eve.get(f"{TRAIL}?object={request.id}")
    assert page.all("li", class_="sheet")
    assert "anna" not in page.html
