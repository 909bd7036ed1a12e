"""Approval rules in the console: written, tried on the past, changed, archived."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.rule_form import when_form
from tests.builders import World
from tests.console.browsing import Seen, Visitor

RULES = "/console/e/test/rules"
TRY = "Try it on the last 30 days"


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(100_000_000)


def tried(cleo: Visitor, **answers: str | list[str]) -> Seen:
    return cleo.send(cleo.get(f"{RULES}/new").form(TRY), **answers)


def in_force(cleo: Visitor, **answers: str | list[str]) -> Seen:
    return cleo.send(tried(cleo, **{"mode": "enforce", **answers}).form("Put it in force"))


def test_a_rule_is_tried_on_the_past_and_then_holds_what_it_says(world: World, cleo: Visitor) -> None:
    world.request(world.caller(), world.payment(90_000), 70_000)
    check = tried(cleo, name="Large ones", mode="enforce", currency="usd", amount="600.00", quorum="2")
    assert "A refund of 600.00 USD or more needs 2 approvers." in check.text
    assert "let through held" in check.text
    page = cleo.send(check.form("Put it in force"))
    assert "The rule is in force." in page.text
    held = world.request(world.caller(), world.payment(90_000), 60_000)
    assert (held.state, held.quorum) == (State.PENDING_APPROVAL, 2)
    ben_sees = cleo.get(f"/console/e/test/holds/{held.hold}")
    assert "Large ones" in ben_sees.text


def test_every_answer_of_a_rule_comes_back_when_it_is_changed(world: World, cleo: Visitor) -> None:
    check = tried(
        cleo,
        name="Everything",
        mode="dry_run",
        currency="usd",
        amount="5.00",
        reasons=["duplicate", "not_given"],
        payment_days="30",
        requester="program",
        first_refund="no",
        begins="20:00",
        ends="06:30",
        weekdays=["sat", "sun"],
        zone="Europe/Berlin",
        sum_scope="customer",
        sum_measure="amount",
        sum_window="rolling",
        sum_days="7",
        sum_at_least="100.00",
        quorum="2",
        approvers="lead, boss",
        expires_seconds="2 hours",
    )
    page = cleo.send(check.form("Begin the dry run"))
    rule_id = page.address.rpartition("/")[2]
    before = world.app.rules.read.one(world.operator, rule_id)
    check = cleo.send(cleo.get(f"{RULES}/{rule_id}/edit").form(TRY), name="Everything else")
    cleo.send(check.form("Change the rule"))
    after = world.app.rules.read.one(world.operator, rule_id)
    assert (after.name, after.revision) == ("Everything else", 2)
    assert (after.when, after.then, after.mode) == (before.when, before.then, before.mode)
    assert when_form(after.when)["cumulative"]["at_least"] == 10_000
    shown = cleo.get(f"{RULES}/{rule_id}").text
    assert "Revision 2" in shown
    assert "by cleo" in shown


def test_whoever_changes_what_somebody_else_changed_meanwhile_sees_what_stands(
    world: World, cleo: Visitor
) -> None:
    rule_id = in_force(cleo, name="Contested", quorum="1").address.rpartition("/")[2]
    mine = cleo.send(cleo.get(f"{RULES}/{rule_id}/edit").form(TRY), quorum="2")
    cleo.send(cleo.send(cleo.get(f"{RULES}/{rule_id}/edit").form(TRY), quorum="3").form("Change the rule"))
    page = cleo.send(mine.form("Change the rule"))
    assert page.status == 422
    assert "It says now: Every refund needs 3 approvers." in page.text
    assert page.form(TRY).value("quorum") == "2"
    cleo.send(cleo.send(page.form(TRY)).form("Change the rule"))
    assert world.app.rules.read.one(world.operator, rule_id).then.quorum == 2


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"amount": "5.00"}, "An amount is of one currency"),
        ({"amount": "5,00", "currency": "usd"}, "A mark between digits"),
        ({"begins": "20:00"}, "a beginning and an end"),
        ({"begins": "25:00", "ends": "01:00"}, "Type a time like 08:30."),
        ({"sum_scope": "customer"}, "A sum is of something"),
        ({"quorum": "9"}, "1 to 5 people approve."),
        ({"currency": "zzz"}, "This is no currency that Stripe refunds in."),
        ({"expires_seconds": "7200"}, "Type a number of seconds, minutes, hours or days"),
        ({"approvers": "lead", "quorum": "2"}, "At least as many different people"),
        ({"effect": "deny", "quorum": "2"}, "Only an approval asks people"),
    ],
)
def test_what_means_nothing_is_refused_with_what_was_typed_kept(
    cleo: Visitor, answers: dict[str, str], words: str
) -> None:
    page = tried(cleo, **{"name": "Odd", **answers})
    assert page.status == 422
    assert words in page.text
    assert page.form(TRY).value("name") == "Odd"


def test_a_dry_run_says_that_it_only_records_and_what_it_would_hold_if_it_acted(
    world: World, cleo: Visitor
) -> None:
    world.request(world.caller(), world.payment(90_000), 71_000)
    check = tried(cleo, name="Rehearsed", mode="dry_run", effect="deny", currency="USD", amount="710.00")
    assert "It holds nothing and denies nothing." in check.text
    assert "if this one acted" in check.text
    assert "denied" in [one.text for one in check.all("td", data_label="Would be")]
    begun = cleo.send(check.form("Begin the dry run"))
    assert "The dry run begins" in begun.text
    assert "The rule is in force." not in begun.text
    assert world.request(world.caller(), world.payment(90_000), 72_000).state is not State.DENIED


def test_a_rule_that_asks_for_more_people_than_there_are_says_so_before_it_counts(
    world: World, cleo: Visitor
) -> None:
    """CONSOLE: whoever steers is warned when a quorum cannot be met."""
    world.approver(owner="lea")
    check = tried(cleo, name="Nobody's", mode="enforce", approvers="lea, leo", quorum="2")
    assert "leo may not approve here." in check.text
    assert "It asks for 2, and only lea may approve here: what it holds can only expire." in check.text
    within = tried(cleo, name="Lea's", mode="enforce", approvers="lea", quorum="1")
    assert "may not approve here" not in within.text
    assert "can only expire" not in within.text


def test_the_page_of_a_rule_says_that_its_people_are_gone(world: World, cleo: Visitor) -> None:
    gone = world.approver(owner="max")
    page = in_force(cleo, name="Max's", approvers="max")
    assert "may not approve" not in page.text
    world.app.manage_credentials.revoke(world.operator, gone.credential.id, "left")
    assert "It asks for 1, and nobody of them may approve here" in cleo.get(page.address).text


def test_a_rule_is_archived_after_a_look_at_what_the_others_make_of_the_past(
    world: World, cleo: Visitor
) -> None:
    page = in_force(cleo, name="Short-lived", effect="deny", currency="usd", amount="800.00")
    rule_id = page.address.rpartition("/")[2]
    assert world.request(world.caller(), world.payment(90_000), 80_000).state is State.DENIED
    look = cleo.send(page.form("Archive this rule"))
    assert "denied" in [one.text for one in look.all("td", data_label="Was")]
    assert world.app.rules.read.one(world.operator, rule_id).archived is False
    cleo.send(look.form("Archive it"))
    assert world.app.rules.read.one(world.operator, rule_id).archived is True
    assert "Short-lived" not in cleo.get(RULES).text
    assert "Short-lived" in cleo.get(f"{RULES}?show=archived").text
    assert world.request(world.caller(), world.payment(90_000), 81_000).state is not State.DENIED
    assert "Archived" in cleo.get(f"{RULES}/{rule_id}").all("div", class_="heading")[0].text


def test_a_rule_that_somebody_changed_after_the_last_look_is_looked_at_anew_before_it_ends(
    world: World, cleo: Visitor
) -> None:
    page = in_force(cleo, name="Changing", effect="deny", currency="usd", amount="850.00")
    rule_id = page.address.rpartition("/")[2]
    look = cleo.send(page.form("Archive this rule"))
    edit = cleo.send(cleo.get(f"{RULES}/{rule_id}/edit").form(TRY), amount="950.00")
    cleo.send(edit.form("Change the rule"))
    stale = cleo.send(look.form("Archive it"))
    assert stale.status == 422
    assert "Somebody changed the rule." in stale.text
    assert "950.00 USD" in stale.text
    assert world.app.rules.read.one(world.operator, rule_id).archived is False
    cleo.send(stale.form("Archive it"))
    assert world.app.rules.read.one(world.operator, rule_id).archived is True
