"""Long work in the console: asked for, left, come back to, and taken home."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from governor.domain.credentials import Role
from tests.builders import World
from tests.console.browsing import Visitor
from tests.fakes.provider import FakeProvider
from tests.stack import PATIENCE_SECONDS

RUNS = "/console/e/test/runs"


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(1_000_000)


def begun(visitor: Visitor, kind: str, **answers: str) -> str:
    page = visitor.send(visitor.get(f"{RUNS}/new/{kind}").form("Begin"), **answers)
    assert "It waits for its turn." in page.text
    return page.address.rpartition("/")[2]


def carry_out(world: World, run_id: str) -> None:
    """As a runner does, whatever else waits."""
    while (ended := world.app.long_work.carry_out(bool)) is not None:
        if ended.id == run_id:
            return
    raise AssertionError(f"{run_id} was never due")


def test_an_export_is_made_while_nobody_looks_and_taken_home(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    eve = visitor(Role.AUDITOR)
    run = begun(eve, "export-trail", format="csv")
    carry_out(world, run)
    page = eve.get(f"{RUNS}/{run}")
    assert "It is done." in page.text
    file = next(link for link in page.links if link.endswith("audit.csv"))
    taken = eve.get(file)
    assert taken.response.mimetype == "text/csv"
    rows = re.search(r"Rows (\d+): 1 to \1 As the trail was \d+ \w+ 2\d{3}", page.text)
    assert rows
    home = f"test-rows-1-{rows[1]}-audit.csv"
    assert taken.response.headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{home}"
    assert f"--file {home.removesuffix('csv')}ndjson" in page.text
    assert taken.html.startswith('"seq","at","actor","action","object","facts"')
    assert "The first row seals nothing: it is the first of all" in page.text


def test_verifying_says_that_the_trail_is_whole(world: World, visitor: Callable[[Role], Visitor]) -> None:
    run = begun(visitor(Role.AUDITOR), "verify-trail")
    carry_out(world, run)
    page = visitor(Role.AUDITOR).get(f"{RUNS}/{run}")
    assert "Whole: rows 1 to" in page.text
    assert page.all("p", class_="notice-success")


def test_a_stretch_is_verified_from_the_page_that_shows_it(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    eve = visitor(Role.AUDITOR)
    link = next(one for one in eve.get("/console/e/test/audit?from=2&to=3").links if "verify-trail" in one)
    asked = eve.send(eve.get(link).form("Begin"))
    carry_out(world, asked.address.rpartition("/")[2])
    assert "Whole: rows 2 to 3 are what was sealed" in eve.get(asked.address).text
    trail = eve.get("/console/e/test/audit")
    assert re.search(r"rows 2 to 3, .* \(just now\) : whole", trail.text)
    assert asked.address in trail.links


def test_an_export_is_checked_by_the_program_that_the_page_shows_and_by_it_alone(
    world: World, visitor: Callable[[Role], Visitor], tmp_path: Path
) -> None:
    eve = visitor(Role.AUDITOR)
    run = begun(eve, "export-trail")
    carry_out(world, run)
    page = eve.get(f"{RUNS}/{run}")
    program = next(one for one in page.all("pre") if one.attributes["aria-label"].startswith("Program"))
    lines = "".join(child for child in program.children if isinstance(child, str))
    file = tmp_path / "audit.ndjson"
    file.write_bytes(eve.get(f"{RUNS}/{run}/files/audit.ndjson").response.data)
    assert _checked(lines, file).stdout.startswith("whole up to")
    rows = file.read_bytes().splitlines(keepends=True)
    manifest = json.loads(rows[-1])["manifest"]
    assert hashlib.sha256(b"".join(rows[:-1])).hexdigest() == manifest["sha256"]
    file.write_bytes(b"".join([*rows[:1], *rows[2:]]))
    assert _checked(lines, file).returncode != 0, "a row was taken out"
    file.write_bytes(b"".join(rows).replace(b"host", b"hose", 1))
    assert _checked(lines, file).returncode != 0, "a row was changed"


def _checked(program: str, file: Path) -> subprocess.CompletedProcess[str]:
    """Away from governor: with nothing but Python."""
    command = [sys.executable, "-I", "-c", program, str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)


def test_the_policy_in_force_is_tried_on_the_past_and_told_in_words(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    request = world.request(world.caller(), world.payment(5000), 1250)
    world.limit(1_000, currency="usd")
    run = begun(visitor(Role.AUDITOR), "simulate-policy", days="7")
    carry_out(world, run)
    page = visitor(Role.AUDITOR).get(f"{RUNS}/{run}")
    assert "let through → denied : 1 ( $12.50 USD )" in page.text
    assert f"/console/e/test/refund-requests/{request.id}" in page.links
    assert any(link.endswith("simulation.json") for link in page.links)
    assert page.all("svg")


@pytest.mark.parametrize(
    ("kind", "answers", "words"),
    [
        ("simulate-policy", {"days": "all"}, "Type a whole number of days"),
        ("simulate-policy", {"days": "91"}, "1 to 90 days are replayed"),
        ("verify-trail", {"from": "yesterday"}, "a row's number, a date"),
        ("reconcile", {"currency": "dollars"}, "currency"),
        (
            "reconcile",
            {"from": "2026-11-30T00:00:00Z", "to": "2026-11-29T00:00:00Z"},
            "A period ends after it begins.",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused_at_its_field(
    visitor: Callable[[Role], Visitor], kind: str, answers: dict[str, Any], words: str
) -> None:
    cleo = visitor(Role.OPERATOR)
    page = cleo.send(cleo.get(f"{RUNS}/new/{kind}").form("Begin"), **answers)
    assert page.status == 422
    assert page.all("p", class_="question-error")
    assert words in page.text


def test_a_reconciliation_is_told_in_money_and_names_what_needs_a_look(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    """First all is explained; then somebody makes a refund that names a request which is not here."""
    cleo = visitor(Role.OPERATOR)
    assert isinstance(world.provider, FakeProvider)
    payment = world.payment(5000, currency="gbp")
    world.limit(100_000, currency="gbp")
    world.drain(world.request(world.caller(), payment, 1_250, currency="gbp"))
    run = begun(cleo, "reconcile", currency="GBP")
    carry_out(world, run)
    whole = cleo.get(f"{RUNS}/{run}").text
    assert "Nothing needs a look: the one line is explained." in whole
    assert "Taken of the limits here £12.50 GBP settled, £0.00 GBP held" in whole
    assert "Between them nothing" in whole
    assert "Taken here as it is there 1 line" in whole
    stranger = world.provider.refund_for(payment, 700, f"rr_{'0' * 26}")
    run = begun(cleo, "reconcile", currency="gbp")
    carry_out(world, run)
    page = cleo.get(f"{RUNS}/{run}")
    assert "1 of 2 lines needs a look" in page.text
    row = next(one.text for one in page.all("tr") if stranger.id in one.text)
    assert "It names a request that is not here" in row
    assert "£7.00" in row


def test_a_reconciliation_of_nothing_speaks_for_stripe_only_where_it_has_asked(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    cleo = visitor(Role.OPERATOR)
    asked = begun(cleo, "reconcile", currency="isk")
    carry_out(world, asked)
    whole = cleo.get(f"{RUNS}/{asked}").text
    assert "There was nothing in that time, neither here nor at Stripe." in whole
    assert "Stripe was not asked" not in whole
    form = cleo.get(f"{RUNS}/new/reconcile").form("Begin")
    run = cleo.send(form, currency="isk", ask_provider=[]).address.rpartition("/")[2]
    carry_out(world, run)
    page = cleo.get(f"{RUNS}/{run}").text
    assert "There was nothing in that time, by what governor has." in page
    assert "Stripe was not asked anew" in page
    assert "at Stripe." not in page


def test_a_second_click_asks_for_nothing_more(visitor: Callable[[Role], Visitor]) -> None:
    cleo = visitor(Role.OPERATOR)
    form = cleo.get(f"{RUNS}/new/look-again").form("Begin")
    assert cleo.send(form).address == cleo.send(form).address


def test_what_waits_can_be_canceled_by_who_asked_and_not_by_another(
    visitor: Callable[[Role], Visitor],
) -> None:
    cleo, eve = visitor(Role.OPERATOR), visitor(Role.AUDITOR)
    run = begun(cleo, "reconcile")
    assert not any(one.text == "Cancel it" for one in eve.get(f"{RUNS}/{run}").all("button"))
    form = cleo.get(f"{RUNS}/{run}").form("Cancel it")
    refused = eve.post(form.action, form.fields)
    assert refused.status == 422
    assert "somebody else's to cancel" in refused.text
    cleo.send(form)
    assert "It was canceled." in cleo.get(f"{RUNS}/{run}").text


@pytest.mark.parametrize(
    ("role", "kinds"),
    [
        (Role.OPERATOR, ["reconcile", "look-again", "simulate-policy", "verify-trail", "export-trail"]),
        (Role.AUDITOR, ["reconcile", "simulate-policy", "verify-trail", "export-trail"]),
    ],
)
def test_the_list_offers_what_this_person_may_begin(
    visitor: Callable[[Role], Visitor], role: Role, kinds: list[str]
) -> None:
    asked = [link for link in visitor(role).get(RUNS).links if link.startswith(f"{RUNS}/new/")]
    assert asked == [f"{RUNS}/new/{kind}" for kind in kinds]
