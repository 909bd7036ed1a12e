"""Limits in the console: what they allow, what is taken, and changes that are looked at before they count."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.seen import AsSeen
from governor.domain.windows import WindowKind
from tests.builders import World
from tests.console.browsing import Element, Visitor
from tests.usecases.test_delegation import child_of

LIMITS = "/console/e/test/limits"


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


def cap_of(world: World, limit: Limit) -> int:
    return world.app.queries.limit(world.operator, limit.id).cap


def test_the_widest_limits_come_first_with_what_is_taken_of_them(world: World, cleo: Visitor) -> None:
    world.limit(200_000)
    theirs = world.limit(5_000, scope=Scope.CUSTOMER, value="cus_of_this_test")
    world.request(world.caller(), world.payment(5000, customer="cus_of_this_test"), 1_250)
    page = cleo.get(LIMITS)
    assert page.text.index("At most $2,000.00 a day for everybody together") < page.text.index(
        "At most $50.00 a day for the customer cus_of_this_test"
    )
    row = next(one for one in page.all("tr") if f"{LIMITS}/{theirs.id}" in _links(one))
    assert "$12.50" in row.text
    assert "$37.50" in row.text


def _links(element: Element) -> list[str]:
    return [one.attributes["href"] for one in element.all() if one.tag == "a"]


def test_a_new_limit_is_said_in_words_before_it_counts_and_is_made_once(world: World, cleo: Visitor) -> None:
    form = cleo.get(f"{LIMITS}/new").form("Look at it")
    answers = {"scope": "customer", "measure": "amount", "currency": "EUR", "window": "rolling"}
    check = cleo.send(form, **answers, window_days="7", cap="150.00", approval_above="100.00")
    assert "At most €150.00 in any 7 days for each customer" in check.text
    assert "One refund above €100.00 needs approval." in check.text
    before = len(world.app.queries.limits(world.operator))
    done = [cleo.send(check.form("Set this limit")) for _ in range(2)]
    assert [one.status for one in done] == [200, 200]
    assert done[0].address == done[1].address
    limits = world.app.queries.limits(world.operator)
    assert len(limits) == before + 1
    made = limits[-1]
    assert (made.cap, made.approval_above, made.currency) == (15_000, 10_000, "eur")
    assert (made.window, made.window_days, made.scope) == (WindowKind.ROLLING, 7, Scope.CUSTOMER)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"measure": "amount", "cap": "5"}, "An amount limit has one currency"),
        ({"measure": "count", "currency": "usd", "cap": "5"}, "a count limit none"),
        ({"measure": "count", "cap": "5.00"}, "Type a whole number"),
        ({"measure": "amount", "currency": "usd", "cap": "1.500,00"}, "A mark between digits"),
        ({"measure": "amount", "currency": "eurodollar", "cap": "5"}, "This is no currency"),
        ({"measure": "amount", "currency": "usd", "cap": "5", "window": "rolling"}, "rolling window has"),
        ({"measure": "amount", "currency": "usd", "cap": "5", "time_zone": "Middle/Earth"}, "IANA"),
        ({"measure": "amount", "currency": "usd", "cap": "5", "value": "ada"}, "has no value"),
        ({"measure": "count", "cap": "5", "approval_above": "2"}, "Only an amount limit"),
        ({"measure": "amount", "currency": "usd"}, "Fill in: At most."),
    ],
)
def test_what_means_nothing_is_refused_at_its_field_and_what_was_typed_is_kept(
    world: World, cleo: Visitor, answers: dict[str, str], words: str
) -> None:
    before = world.app.queries.limits(world.operator)
    form = cleo.get(f"{LIMITS}/new").form("Look at it")
    page = cleo.send(form, **{"scope": "environment", "window": "day"} | answers)
    assert page.status == 422
    assert words in " ".join(one.text for one in page.all("p", class_="question-error")), page.text
    assert page.form("Look at it").value("cap") == answers.get("cap", "")
    assert world.app.queries.limits(world.operator) == before


def test_a_cap_is_lowered_after_a_look_at_what_is_taken(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000)
    world.request(world.caller(), world.payment(5000), 4_000)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    assert form.value("cap") == "3000.00"
    check = cleo.send(form, cap="0.50")
    assert "That is more than the new cap: nothing is taken back" in check.text
    assert cap_of(world, limit) == 300_000
    after = cleo.send(check.form("Lower it to $0.50"))
    assert "The limit was changed." in after.text
    assert cap_of(world, limit) == 50
    assert after.text.index("At most $0.50 Counts now") < after.text.index("At most $3,000.00 Past")
    again = cleo.send(check.form("Lower it to $0.50"))
    assert again.status == 200
    assert "It is said as you asked." in again.text
    world.app.change_limit.archive(world.operator, limit.id, AsSeen(2))


def test_whoever_looks_again_finds_what_they_typed(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    check = cleo.send(form, cap="4000", approval_above="10.00")
    back = cleo.send(check.form("Change something"))
    assert back.form("Look at the change").value("cap") == "4000"
    assert back.form("Look at the change").value("approval_above") == "10.00"
    assert cap_of(world, limit) == 300_000


@pytest.mark.parametrize("at", ["form", "check"])
def test_whoever_comes_second_sees_both_and_goes_on_from_what_stands(
    world: World, cleo: Visitor, at: str
) -> None:
    limit = world.limit(300_000)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    if at == "check":
        form = cleo.send(form, cap="2500.00").form("Lower it to $2,500.00")
    world.change_cap(limit, 100_000)
    page = cleo.send(form, cap="2500.00")
    assert (page.status, page.title) == (412, "This limit has changed meanwhile")
    assert "$1,000.00" in page.text
    assert "$2,500.00" in page.text
    assert "Said by owner of operator" in page.text
    assert cap_of(world, limit) == 100_000
    check = cleo.send(page.form("Look at my change again"))
    cleo.send(check.form("Raise it to $2,500.00"))
    assert cap_of(world, limit) == 250_000


def test_a_form_that_was_filled_when_time_had_made_something_else_of_the_limit_is_looked_at_anew(
    world: World, cleo: Visitor
) -> None:
    """As if a raise had ended since; nobody has said anything meanwhile, so the revision is the same."""
    limit = world.limit(300_000)
    form = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    earlier = str(AsSeen(limit.revision, "0" * 12))
    for sent in (form, cleo.send(form, cap="2500.00").form("Lower it to $2,500.00")):
        page = cleo.send(sent, cap="2500.00", seen=earlier)
        assert (page.status, page.title) == (412, "This limit has changed meanwhile")
    ending = cleo.get(f"{LIMITS}/{limit.id}/archive").form("Archive this limit")
    assert cleo.send(ending, seen=earlier).status == 422
    standing = world.app.queries.limit(world.operator, limit.id)
    assert (standing.cap, standing.archived) == (300_000, False)


def test_a_limit_of_numbers_has_no_threshold(world: World, cleo: Visitor) -> None:
    limit = world.limit(20, measure=Measure.COUNT, scope=Scope.AGENT)
    page = cleo.get(f"{LIMITS}/{limit.id}/edit")
    assert page.form("Look at the change").value("approval_above") is None
    check = cleo.send(page.form("Look at the change"), cap="30")
    after = cleo.send(check.form("Raise it to 30 refunds"))
    assert "At most 30 refunds a day for each agent" in after.title


def test_an_archived_limit_is_archived_once_and_changes_no_more(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000)
    form = cleo.get(f"{LIMITS}/{limit.id}/archive").form("Archive this limit")
    edit = cleo.get(f"{LIMITS}/{limit.id}/edit").form("Look at the change")
    assert "It binds no new request." in cleo.send(form).text
    assert cleo.send(form).status == 200
    assert world.app.queries.limit(world.operator, limit.id).archived
    assert f"{LIMITS}/{limit.id}" in cleo.get(f"{LIMITS}?show=archived").links
    assert f"{LIMITS}/{limit.id}" not in cleo.get(LIMITS).links
    late = cleo.send(edit, cap="1.00")
    assert late.status == 412
    assert "It is archived, and changes no more." in late.text


def test_archiving_what_somebody_has_changed_asks_anew(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000)
    form = cleo.get(f"{LIMITS}/{limit.id}/archive").form("Archive this limit")
    world.change_cap(limit, 100_000)
    page = cleo.send(form)
    assert page.status == 422
    assert "Somebody changed the limit." in page.text
    assert not world.app.queries.limit(world.operator, limit.id).archived
    cleo.send(page.form("Archive this limit"))
    assert world.app.queries.limit(world.operator, limit.id).archived


def test_whoever_only_looks_finds_nothing_to_change(world: World, visitor: Callable[[Role], Visitor]) -> None:
    limit = world.limit(300_000)
    for role in (Role.APPROVER, Role.AUDITOR):
        links = [*visitor(role).get(LIMITS).links, *visitor(role).get(f"{LIMITS}/{limit.id}").links]
        assert not [one for one in links if one.endswith(("/new", "/edit", "/archive")) and "limits" in one]


def test_counters_are_told_with_what_is_left(world: World, cleo: Visitor) -> None:
    limit = world.limit(300_000, scope=Scope.CUSTOMER, window=WindowKind.LIFETIME)
    world.request(world.caller(), world.payment(5000, customer="cus_counted"), 4_000)
    page = cleo.get(f"{LIMITS}/{limit.id}")
    row = next(one for one in page.all("tr") if "cus_counted" in one.text)
    assert "the beginning" in row.text
    assert "$2,960.00" in row.text


def test_limits_are_a_tree_of_what_each_of_many_has_and_what_single_ones_have(
    world: World, cleo: Visitor
) -> None:
    each = world.limit(9_000, scope=Scope.CREDENTIAL)
    bot = world.caller(name="the-parent")
    above = world.limit(8_000, scope=Scope.CREDENTIAL, value=bot.credential.id)
    child = child_of(world, bot, "the-child", cap=700)
    page = cleo.get(LIMITS)
    rows = {row.text.partition(" asks nobody")[0] for row in page.all("tr")}
    assert any(row.startswith("At most $90.00 a day for each key") for row in rows)
    key = bot.credential.id
    assert (
        f"↳ At most $80.00 a day for the key {key} ( the-parent ) All that count it : the key {key}" in rows
    )
    key = child.credential.id
    assert (
        f"↳ ↳ At most $7.00 a day for the key {key} ( the-child ) All that count it : the key {key}" in rows
    )
    for one in (each, above):
        world.app.change_limit.archive(world.operator, one.id, AsSeen(one.revision))


def test_what_is_archived_is_set_again_as_a_new_limit_that_counts_what_is_there(
    world: World, cleo: Visitor, visitor: Callable[[Role], Visitor]
) -> None:
    world.limit(1_000_000)
    scope = {"scope": Scope.CUSTOMER, "value": "cus_again", "window": WindowKind.ROLLING, "days": 3}
    limit = world.limit(7_000, approval_above=6_000, **scope)
    world.app.change_limit.archive(world.operator, limit.id, AsSeen(limit.revision))
    assert world.request(world.caller(), world.payment(customer="cus_again"), 1_250).denial is None
    assert f"{LIMITS}/new?like={limit.id}" not in visitor(Role.AUDITOR).get(f"{LIMITS}/{limit.id}").links
    page = cleo.get(f"{LIMITS}/{limit.id}")
    form = cleo.get(next(link for link in page.links if "like=" in link)).form("Look at it")
    done = cleo.send(cleo.send(form).form("Set this limit"))
    made = world.app.queries.limits(world.operator)[-1]
    assert done.address == f"{LIMITS}/{made.id}"
    same = "scope value measure currency window window_days time_zone cap approval_above".split()
    assert [getattr(made, name) for name in same] == [getattr(limit, name) for name in same]
    assert "$12.50" in done.text
    assert cleo.get(f"{LIMITS}/new?like=lim_nothing").status == 404
