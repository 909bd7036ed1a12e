"""What the approvers' desk shows: whose turn it is, what is at stake, who else may, what was asked before."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from adapters.sql.background import SqlBackgrounds
from governor.domain.approval import Choice
from governor.domain.background import Background
from governor.domain.credentials import Kind, Role
from governor.domain.errors import NotFound
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.ports.records import TrailFilter
from governor.usecases.approval_desk import ToDecide
from governor.usecases.callers import Caller
from governor.usecases.credential_drafts import CredentialDraft
from tests.builders import World
from tests.rules import a_rule
from tests.twin import Twin
from tests.unit.values import VISA


@pytest.fixture
def desk(new_world: Callable[..., World]) -> World:
    world = new_world(clock=True, approval_seconds=3600)
    world.limit(100_000, approval_above=1000)
    return world


def _mine(world: World, caller: Caller) -> list[str]:
    waiting = world.app.approval_desk.waiting(caller)
    return [one.request.id for one in waiting if one.why_not is None]


def _case(world: World, caller: Caller, request: RefundRequest) -> ToDecide:
    return world.app.approval_desk.to_decide(caller, request.hold or "")


def test_what_more_reasons_ask_about_and_what_ends_sooner_is_looked_at_first(desk: World) -> None:
    approver, agent = desk.approver(), desk.caller()
    early = desk.request(agent, desk.payment(5000), 1500)
    desk.advance(1800)
    late = desk.request(agent, desk.payment(5000), 2000)
    assert _mine(desk, approver) == [early.id, late.id], "half of its time is over"
    a_rule(desk, reasons=("fraudulent",))
    twice = desk.request(agent, desk.payment(5000), 1200, reason="fraudulent")
    assert _mine(desk, approver) == [twice.id, early.id, late.id], "a rule asks about it, and a limit"


def test_mine_is_what_my_approval_would_count_for(desk: World) -> None:
    agent, olga = desk.caller(), desk.caller(name="olgas-agent", owner="olga")
    approver = desk.approver()
    herself = desk.caller(Role.APPROVER, "olga-herself", kind=Kind.HUMAN, owner="olga")
    draft = CredentialDraft("small", Role.APPROVER, Kind.HUMAN, "sam", None, approve_up_to={"usd": 1500})
    small = desk.app.authenticate(desk.app.manage_credentials.found(desk.environment, draft)[1])
    a_rule(desk, quorum=2)
    a, b, c = (
        desk.request(asker, desk.payment(5000), amount)
        for asker, amount in ((agent, 1500), (agent, 1600), (olga, 1400))
    )
    assert _mine(desk, approver) == [b.id, a.id, c.id], "the larger sum first"
    assert _mine(desk, herself) == [b.id, a.id], "what she asked for is not hers to decide"
    assert _mine(desk, small) == [a.id, c.id]
    assert {one.request.id: one.why_not for one in desk.app.approval_desk.waiting(small)}[
        b.id
    ] == "above_own_limit"
    desk.decide(approver, a, Choice.APPROVE)
    assert _mine(desk, approver) == [b.id, c.id], "it waits for somebody else"
    assert _mine(desk, desk.operator) == []
    assert len(desk.app.approval_desk.waiting(desk.operator)) == 3


def test_what_nobody_decided_in_time_waits_for_nobody_though_no_cron_lives(desk: World) -> None:
    approver = desk.approver()
    early = desk.request(desk.caller(), desk.payment(5000), 1500)
    desk.advance(1800)
    late = desk.request(desk.caller(), desk.payment(5000), 1500)
    assert _mine(desk, approver) == [early.id, late.id], "of the same sum, what ends sooner"
    desk.advance(3601)
    assert _mine(desk, approver) == [late.id]


def test_what_i_decided_is_mine_to_look_at_newest_first(desk: World) -> None:
    agent, ana, ben = desk.caller(), desk.approver("ana"), desk.approver("ben")
    a, b, c = (desk.request(agent, desk.payment(5000), 1500) for _ in range(3))
    desk.decide(ana, a, Choice.APPROVE)
    desk.decide(ben, b, Choice.REJECT)
    desk.decide(ana, c, Choice.APPROVE_LESS, amount=100)
    newest, *older = desk.app.approval_desk.decided(ana, before=None, at_most=50)
    assert (newest.request.id, newest.vote.choice, newest.request.amount_minor) == (
        c.id,
        Choice.APPROVE_LESS,
        100,
    )
    assert [one.request.id for one in older] == [a.id]
    (last,) = desk.app.approval_desk.decided(ana, before=newest.at, at_most=50)
    assert last.request.id == a.id


def test_it_says_who_has_approved_and_who_else_may(desk: World) -> None:
    agent = desk.caller(owner="olga")
    ana, ben = desk.approver("ana"), desk.approver("ben")
    desk.caller(Role.APPROVER, "olga-herself", kind=Kind.HUMAN, owner="olga")
    dead = desk.approver("dead")
    desk.app.manage_credentials.revoke(desk.operator, dead.credential.id)
    a_rule(desk, quorum=2)
    waits = desk.request(agent, desk.payment(5000), 1500)
    desk.decide(ana, waits, Choice.APPROVE)
    case = _case(desk, ben, waits)
    assert case.waiting.hold.approvals == {ana.credential.owner}
    assert case.may_approve == (ben.credential.owner,)
    assert [vote.person for vote, _ in case.votes] == [ana.credential.owner]
    assert case.waiting.why_not is None
    assert _case(desk, ana, waits).waiting.why_not == "approved_already"
    desk.decide(ben, waits, Choice.APPROVE)
    decided = _case(desk, ana, waits)
    assert (decided.waiting.why_not, decided.may_approve) == ("hold_already_decided", ())
    with pytest.raises(NotFound):
        desk.app.approval_desk.to_decide(ben, "hold_nobody")


def test_it_shows_the_requesters_record_and_what_the_customer_got_lately(desk: World) -> None:
    agent, other, approver = desk.caller(), desk.caller(name="other"), desk.approver()
    payment, sister = (desk.payment(9000, customer="cus_1") for _ in range(2))
    rejected = desk.request(agent, payment, 1200)
    desk.decide(approver, rejected, Choice.REJECT)
    small = desk.request(other, payment, 500)
    sent = desk.request(agent, sister, 900)
    desk.drain(sent)
    desk.request(other, desk.payment(9000, customer="cus_2"), 1300)
    waits = desk.request(agent, payment, 1500)
    case = _case(desk, approver, waits)
    assert case.record.states == Counter({State.REJECTED: 1, State.SUCCEEDED: 1})
    assert (case.record.refunded["usd"], case.record.whole) == (900, True)
    assert [one.id for one in case.customer.others] == [sent.id, small.id, rejected.id]
    assert case.payment is not None
    assert (case.payment.book.reserved, case.payment.book.settled) == (1500, 500)
    desk.advance(31 * 86400)
    later = _case(desk, approver, waits)
    assert (later.record.asked, later.customer.others) == (0, ()), "thirty days"


def test_opening_it_reads_old_facts_again_and_shows_what_has_changed(desk: World, twin: Twin) -> None:
    approver, payment = desk.approver(), desk.payment(5000)
    waits = desk.request(desk.caller(), payment, 1500)
    twin.dashboard_refund(payment, 300)
    assert _case(desk, approver, waits).waiting.hold.version == 1, "read moments ago"
    desk.advance(120)
    for _ in range(2):
        hold = _case(desk, approver, waits).waiting.hold
        assert (hold.version, hold.shown["refunded_elsewhere"]) == (2, 300)
    assert desk.decide(approver, waits, Choice.APPROVE).state is State.QUEUED


def test_a_provider_that_is_away_hides_the_payment_and_nothing_else(desk: World, twin: Twin) -> None:
    approver, payment = desk.approver(), desk.payment(5000)
    waits = desk.request(desk.caller(), payment, 1500)
    desk.advance(120)
    twin.fault("drop_before", method="GET", path=f"/v1/payment_intents/{payment}", times=9)
    case = _case(desk, approver, waits)
    assert (case.payment, case.waiting.hold.version, case.waiting.why_not) == (None, 1, None)
    twin.forget_faults()


def test_it_shows_what_the_provider_says_of_the_customer_and_of_fraud_and_reads_it_again_after_a_while(
    desk: World, twin: Twin
) -> None:
    approver = desk.approver()
    earlier, payment = (desk.payment(5000, customer="cus_often") for _ in range(2))
    twin.dashboard_refund(earlier, 700)
    waits = desk.request(desk.caller(), payment, 1500)
    first = _case(desk, approver, waits).background
    assert first is not None
    assert first.customer is not None
    assert (first.fraud_warning, first.customer.paid, first.customer.refunded) == (False, 2, 1)
    assert (first.customer.paid_minor, first.customer.refunded_minor) == ({"usd": 10_000}, {"usd": 700})
    twin.warn_of_fraud(payment)
    assert _case(desk, approver, waits).background == first, "looked at moments ago"
    desk.advance(901)
    later = _case(desk, approver, waits)
    assert later.background is not None
    assert later.background.fraud_warning is True
    assert later.waiting.hold.version == 1, "what is only shown makes no decision stale"
    assert desk.decide(approver, waits, Choice.APPROVE).state is State.QUEUED
    with desk.app.store.reading() as reads:
        trail = reads.audit(desk.environment, after=0, at_most=500, chosen=TrailFilter())
    assert later.payment is not None
    assert later.payment.facts.method == VISA
    assert "visa" not in repr(trail) + repr(later.waiting.request.shown), "DESIGN §3.18"


def test_a_known_warning_of_fraud_stays_known_when_the_next_look_cannot_read_it(
    desk: World, twin: Twin
) -> None:
    approver, payment = desk.approver(), desk.payment(5000, customer="cus_warned")
    waits = desk.request(desk.caller(), payment, 1500)
    twin.warn_of_fraud(payment)
    first = _case(desk, approver, waits).background
    assert first is not None
    assert first.fraud_warning is True
    desk.advance(901)
    twin.fault("forbidden_403", method="GET", path="/v1/radar/early_fraud_warnings")
    later = _case(desk, approver, waits).background
    assert later is not None
    assert (later.fraud_warning, later.fraud_read_at) == (True, first.read_at), "as it was read then"
    assert later.customer_read_at == later.read_at > first.read_at
    late = Background.looked(first.read_at - timedelta(hours=1), fraud_warning=False, customer=None)
    kept = SqlBackgrounds(desk.app.engine).keep(desk.environment, payment, late)
    assert kept == later, "an older look takes nothing back"
    cleared = Background.looked(later.read_at + timedelta(hours=1), fraud_warning=False, customer=None)
    kept = SqlBackgrounds(desk.app.engine).keep(desk.environment, payment, cleared)
    assert (kept.fraud_warning, kept.customer) == (False, later.customer)


def test_what_cannot_be_read_around_a_payment_hides_nothing_else_and_stops_nobody(
    desk: World, twin: Twin
) -> None:
    approver = desk.approver()
    waits = desk.request(desk.caller(), desk.payment(5000, customer="cus_1"), 1500)
    twin.fault("forbidden_403", method="GET", path="/v1/radar/early_fraud_warnings")
    twin.fault("drop_before", method="GET", path="/v1/charges", times=9)
    case = _case(desk, approver, waits)
    assert (case.payment is None, case.waiting.why_not) == (False, None)
    assert case.background is not None
    assert case.background == Background.looked(case.background.read_at, fraud_warning=None, customer=None)
    twin.forget_faults()
    assert _case(desk, approver, waits).background == case.background, "nobody waits for it again at once"
    desk.advance(61)
    read = _case(desk, approver, waits).background
    assert read is not None
    assert read.customer is not None, "that it failed is remembered for a minute"
    desk.decide(approver, waits, Choice.REJECT)
    desk.advance(901)
    calls = len(twin.calls())
    assert _case(desk, approver, waits).background == read, "nothing is decided any more: what was seen stays"
    assert not [one for one in twin.calls()[calls:] if "fraud" in one["path"]]
