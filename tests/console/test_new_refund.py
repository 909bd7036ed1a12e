"""Asking for a refund without a script: the payment, the verdict, the check page, the result."""

from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.lifecycle import State
from governor.domain.rules import Conditions, Consequence, RuleEffect, RuleMode
from governor.domain.seen import AsSeen
from governor.domain.windows import WindowKind
from governor.usecases.rule_drafts import RuleDraft
from tests.builders import World, fresh_key
from tests.console.asking import LOOK, NEW, asked, requests_of
from tests.console.browsing import Visitor
from tests.fakes.provider import START, FakeProvider

CAP = 100_000


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(CAP, approval_above=10_000)


@pytest.fixture
def ada(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.AGENT)


def test_a_refund_is_asked_for_once_after_a_check_page(world: World, ada: Visitor) -> None:
    payment = world.payment(5000)
    check = asked(ada, payment, "12.40", case="zd-7", reason="duplicate", note="arrived broken")
    assert check.title == "Check the refund"
    assert "It goes out at once." in check.text
    assert "ZD-7" in check.text
    assert "Left afterwards $37.60 USD" in check.text
    assert "Reason It was charged twice" in check.text
    assert requests_of(world, payment) == []
    send = check.form("Refund $12.40")
    first = ada.send(send)
    assert "Queued" in first.text
    assert "Your refund of $12.40 is being processed." in first.text
    assert "Our reference is ZD-7." in first.text
    assert ada.send(send).address == first.address
    assert requests_of(world, payment) == [(1240, State.QUEUED)]


def test_whoever_changes_their_mind_on_the_check_page_finds_what_they_typed(
    world: World, ada: Visitor
) -> None:
    payment = world.payment(5000)
    back = ada.send(asked(ada, payment, "12.40", note="arrived broken").form("Change something"))
    form = back.form(LOOK)
    assert (form.value("amount"), form.value("note")) == ("12.40", "arrived broken")
    assert requests_of(world, payment) == []


@pytest.mark.parametrize(
    ("pasted", "words"),
    [
        ("ch_unknown_here", "does not know this payment"),
        ("ada@example.com", "A receipt or an e-mail address names no payment here"),
        ("https://[", "begins with pi_"),
        ("pi_unknown_here", "does not know this payment"),
        ("<script>alert(1)</script>", "begins with pi_"),
    ],
)
def test_what_names_no_payment_is_refused_where_it_was_pasted(ada: Visitor, pasted: str, words: str) -> None:
    page = ada.send(ada.get(NEW).form("Look it up"), payment=pasted)
    assert page.status == 422
    assert words in page.text
    assert page.form("Look it up").value("payment") == pasted


@pytest.mark.parametrize(
    "address", ["{}", "https://dashboard.stripe.com/test/payments/{}", "{}?a=b#c", " {}/ "]
)
def test_a_payment_is_found_by_its_id_or_charge_wherever_it_was_copied(
    world: World, ada: Visitor, address: str
) -> None:
    payment = world.payment(5000)
    for name in (payment, f"ch_{payment.removeprefix('pi_')}"):
        page = ada.send(ada.get(NEW).form("Look it up"), payment=address.format(name))
        assert "Can still be refunded $50.00 USD" in page.text
        assert page.form(LOOK).value("payment") == payment


def test_whoever_asks_sees_with_what_it_was_paid_and_why_it_cannot_be_refunded(
    ada: Visitor, provider: FakeProvider
) -> None:
    ours = provider.add_payment(paid_at=START)
    assert (
        f"Paid with Visa card ending 4242, charge of {START.day} Nov" in ada.get(f"{NEW}?payment={ours}").text
    )
    theirs = provider.add_payment(refundable_status=False, connected=True)
    assert "It was made for a connected account" in ada.get(f"{NEW}?payment={theirs}").text


@pytest.mark.parametrize(
    "amount", ["1.500,00", "1,500.00", "١٥", "1e3", "-5", "12345678901234567890", "12.4", ""]
)
def test_an_amount_that_could_mean_something_else_is_refused_with_what_was_typed_kept(
    world: World, ada: Visitor, amount: str
) -> None:
    payment = world.payment(5000)
    page = asked(ada, payment, amount, note="kept")
    assert page.status == 422
    assert page.all("p", class_="question-error")
    assert page.form(LOOK).value("amount") == (amount or "")
    assert page.form(LOOK).value("note") == "kept"
    assert requests_of(world, payment) == []


def test_a_refund_above_the_threshold_says_so_before_it_is_asked_for_and_then_waits(
    world: World, ada: Visitor
) -> None:
    payment = world.payment(50_000)
    check = asked(ada, payment, "200.00")
    assert "It needs approval." in check.text
    result = ada.send(check.form("Ask to refund $200.00"))
    assert "Waits for approval" in result.text
    assert requests_of(world, payment) == [(20_000, State.PENDING_APPROVAL)]
    assert "It is held for approval." in result.text
    assert "Daily limit of the environment: cap $1,000.00 USD" in result.text


def test_who_waits_is_told_which_rule_holds_it_and_over_how_many_days_a_limit_counts(
    world: World, ada: Visitor
) -> None:
    week = world.limit(CAP, window=WindowKind.ROLLING, days=7, approval_above=100)
    asks = Consequence(RuleEffect.APPROVAL, 1)
    draft = RuleDraft("All are looked at", RuleMode.ENFORCE, None, Conditions(), asks)
    rule, _ = world.app.rules.change.create(world.operator, draft, fresh_key("rule"))
    check = asked(ada, world.payment(50_000), "2.00")
    result = ada.send(check.form("Ask to refund $2.00"))
    world.app.rules.change.archive(world.operator, rule.id, rule.revision)
    world.app.change_limit.archive(world.operator, week.id, AsSeen(week.revision))
    for page in (check, result):
        assert "All are looked at : Every refund needs 1 approver." in page.text
        assert "Rolling 7-day limit of the environment: cap $1,000.00 USD" in page.text


def test_an_amount_that_is_often_meant_is_a_link(world: World, ada: Visitor) -> None:
    payment = world.payment(5001)
    page = ada.get(f"{NEW}?payment={payment}")
    chips = {chip.text: chip.attributes["href"] for chip in page.all("a", class_="chip")}
    assert list(chips) == ["The whole payment: 50.01", "Half of it: 25.00"]
    assert ada.get(chips["Half of it: 25.00"]).form(LOOK).value("amount") == "25.00"


@pytest.mark.parametrize("role", [Role.APPROVER, Role.OPERATOR, Role.AUDITOR])
def test_only_agents_ask(visitor: Callable[[Role], Visitor], role: Role) -> None:
    assert visitor(role).get(NEW).status == 403
