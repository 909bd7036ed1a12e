from itertools import pairwise

import pytest

from governor.domain.evidence import Evidence, Proof, Source, fold
from governor.domain.lifecycle import Event
from governor.domain.outcome import Outcome
from governor.domain.payments import ProviderRefund
from tests.unit.values import EXPECTED, read, refund, reply

ACCEPTED, REJECTED, NOT_EXECUTED, UNKNOWN = Outcome
NOT_SENT_1 = Evidence(Source.NOT_SENT, NOT_EXECUTED, attempt=1)


def _folded(attempts: int, *pieces: Evidence) -> Proof:
    return fold(EXPECTED, attempts, pieces)


#    attempts  replies                                                             what they prove
REPLIES = [
    (0, [],                                                                        None),
    (1, [],                                                                        None),
    (1, [reply(1, UNKNOWN)],                                                       Event.PROVE_IN_DOUBT),
    (1, [reply(1, REJECTED)],                                                      Event.PROVE_REJECTED),
    (1, [reply(1, NOT_EXECUTED)],                                                  Event.PROVE_NOT_EXECUTED),
    (1, [NOT_SENT_1],                                                              Event.PROVE_NOT_EXECUTED),
    # A late answer to the first attempt says nothing about the second (RELIABILITY §0, 1).
    (2, [reply(1, REJECTED)],                                                      None),
    (2, [reply(1, NOT_EXECUTED)],                                                  None),
    (2, [reply(2, REJECTED)],                                                      Event.PROVE_IN_DOUBT),
    (2, [reply(1, UNKNOWN), reply(2, REJECTED)],                                   Event.PROVE_IN_DOUBT),
    (2, [reply(1, UNKNOWN), reply(2, NOT_EXECUTED)],                               Event.PROVE_IN_DOUBT),
    (2, [reply(1, NOT_EXECUTED), reply(2, UNKNOWN)],                               Event.PROVE_IN_DOUBT),
    (2, [reply(1, NOT_EXECUTED), reply(2, NOT_EXECUTED)],                          Event.PROVE_NOT_EXECUTED),
    (2, [reply(1, NOT_EXECUTED), reply(2, REJECTED)],                              Event.PROVE_REJECTED),
    (2, [reply(1, REJECTED), reply(2, NOT_EXECUTED)],                              Event.PROVE_REJECTED),
    (3, [reply(1, REJECTED), reply(3, REJECTED)],                                  Event.PROVE_IN_DOUBT),
    # What the provider keeps under the key it answers to every attempt.
    (2, [reply(2, REJECTED, kept=True)],                                           Event.PROVE_REJECTED),
    (2, [reply(1, UNKNOWN), reply(2, REJECTED, kept=True)],                        Event.PROVE_REJECTED),
    # Kept is not what makes a rejection.
    (1, [reply(1, UNKNOWN, kept=True)],                                            Event.PROVE_IN_DOUBT),
    # Knowledge is not replaced by ignorance: one read found nothing of the call that had been refused.
    (1, [reply(1, UNKNOWN), Evidence(Source.READ, REJECTED, attempt=1)],           Event.PROVE_REJECTED),
    (1, [reply(1, UNKNOWN), reply(1, NOT_EXECUTED)],                               Event.PROVE_NOT_EXECUTED),
    # A read that belongs to no attempt disproves none.
    (1, [Evidence(Source.READ, REJECTED)],                                         None),
    # "There is a refund", said without showing it.
    (1, [reply(1, ACCEPTED)],                                                      Event.PROVE_INCONSISTENT),
    (1, [reply(1, ACCEPTED), reply(1, REJECTED)],                                  Event.PROVE_INCONSISTENT),
]  # fmt: skip


@pytest.mark.parametrize(("attempts", "pieces", "event"), REPLIES)
def test_what_replies_prove_without_a_refund(attempts: int, pieces: list[Evidence], event: Event) -> None:
    inconsistent = event is Event.PROVE_INCONSISTENT
    assert _folded(attempts, *pieces) == Proof(event, 0, None, overrun=False, inconsistent=inconsistent)


#    statuses seen of the one refund          what they prove          what has left
STATUSES = [
    (["pending"],                             Event.PROVE_PENDING,     0),
    (["requires_action"],                     Event.PROVE_PENDING,     0),
    ([None],                                  Event.PROVE_PENDING,     0),
    (["a word of tomorrow"],                  Event.PROVE_PENDING,     0),
    (["succeeded"],                           Event.PROVE_SUCCEEDED,   100),
    (["pending", "succeeded"],                Event.PROVE_SUCCEEDED,   100),
    (["failed"],                              Event.PROVE_FAILED,      0),
    (["canceled"],                            Event.PROVE_FAILED,      0),
    (["pending", "failed"],                   Event.PROVE_FAILED,      0),
    (["succeeded", "failed"],                 Event.PROVE_REVERSED,    0),
    (["succeeded", "canceled"],               Event.PROVE_REVERSED,    0),
    (["pending", "succeeded", "failed"],      Event.PROVE_REVERSED,    0),
]  # fmt: skip


@pytest.mark.parametrize(("statuses", "event", "moved"), STATUSES)
@pytest.mark.parametrize("source", [Source.REPLY, Source.READ, Source.WEBHOOK])
def test_what_the_statuses_of_a_matching_refund_prove(
    statuses: list[str | None], event: Event, moved: int, source: Source
) -> None:
    pieces = [Evidence(source, ACCEPTED, refund=refund(status)) for status in statuses]
    assert _folded(1, *pieces) == Proof(event, moved, "re_1", overrun=False, inconsistent=False)


def test_a_refund_outweighs_every_reply_that_says_there_is_none() -> None:
    verdict = _folded(1, reply(1, REJECTED, kept=True), read(refund()))
    assert verdict.event is Event.PROVE_SUCCEEDED


OTHERS = [
    refund(amount_minor=99),
    refund(amount_minor=101),
    refund(currency="eur"),
    refund(payment="pi_2"),
    refund(payment=None),
    refund(request_id="rr_2"),
]


@pytest.mark.parametrize("shown", OTHERS)
@pytest.mark.parametrize("outcome", [ACCEPTED, UNKNOWN])
def test_a_reply_with_another_refund_keeps_the_full_hold(shown: ProviderRefund, outcome: Outcome) -> None:
    verdict = _folded(1, reply(1, outcome, shown))
    assert verdict == Proof(Event.PROVE_INCONSISTENT, 0, "re_1", overrun=False, inconsistent=True)


@pytest.mark.parametrize("shown", OTHERS)
def test_a_read_overrules_a_mangled_reply(shown: ProviderRefund) -> None:
    verdict = _folded(1, reply(1, UNKNOWN, shown), read(refund()))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 100, "re_1", overrun=False, inconsistent=False)


def test_a_read_overrules_a_reply_that_fitted() -> None:
    verdict = _folded(1, reply(1, ACCEPTED, refund()), read(refund(amount_minor=40)))
    assert verdict == Proof(Event.PROVE_INCONSISTENT, 40, "re_1", overrun=False, inconsistent=True)


def test_metadata_that_is_missing_is_no_contradiction() -> None:
    assert _folded(1, read(refund(request_id=None))).event is Event.PROVE_SUCCEEDED


def test_a_snapshot_that_leaves_the_payment_out_does_not_hide_one_that_names_it() -> None:
    verdict = _folded(1, read(refund(payment=None), Source.WEBHOOK), read(refund()))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 100, "re_1", overrun=False, inconsistent=False)


def test_part_of_the_amount_settles_nothing() -> None:
    verdict = _folded(1, read(refund(amount_minor=60)))
    assert verdict == Proof(Event.PROVE_INCONSISTENT, 60, "re_1", overrun=False, inconsistent=True)


def test_a_partial_refund_that_failed_releases_nothing() -> None:
    assert _folded(1, read(refund("failed", amount_minor=60))).event is Event.PROVE_INCONSISTENT


def test_more_than_was_asked_is_settled_in_full_and_is_an_overrun() -> None:
    """Scenario 54: 500 asked, the whole payment refunded."""
    verdict = _folded(1, read(refund(amount_minor=5000)))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 5000, "re_1", overrun=True, inconsistent=True)


def test_more_than_was_asked_and_still_pending_is_an_overrun_that_keeps_its_hold() -> None:
    verdict = _folded(1, read(refund("pending", amount_minor=5000)))
    assert verdict == Proof(Event.PROVE_INCONSISTENT, 0, "re_1", overrun=True, inconsistent=True)


def test_a_second_execution_is_an_overrun_and_both_are_settled() -> None:
    verdict = _folded(2, read(refund()), read(refund(id="re_2")))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 200, "re_1", overrun=True, inconsistent=False)


def test_a_second_execution_is_an_overrun_while_it_is_pending() -> None:
    verdict = _folded(2, read(refund()), read(refund("pending", id="re_2")))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 100, "re_1", overrun=True, inconsistent=False)


def test_with_several_refunds_the_one_that_holds_most_money_leads() -> None:
    order = ["succeeded", "pending", "failed"]
    for more, less in pairwise(order):
        verdict = _folded(2, read(refund(less, id="re_1")), read(refund(more, id="re_2")))
        assert verdict.reference == "re_2"
    reversed_one = [read(refund(word, id="re_2")) for word in ("succeeded", "failed")]
    verdict = _folded(2, read(refund("failed", id="re_1")), *reversed_one)
    assert (verdict.event, verdict.reference) == (Event.PROVE_REVERSED, "re_2")


def test_a_whole_refund_is_settled_beside_a_partial_one_that_does_not_fit() -> None:
    verdict = _folded(2, read(refund()), read(refund(amount_minor=30, id="re_0")))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 130, "re_1", overrun=True, inconsistent=True)


def test_a_mangled_reply_about_a_refund_that_nobody_saw_moves_no_money() -> None:
    verdict = _folded(2, reply(1, UNKNOWN, refund(amount_minor=9_000, id="re_9")), read(refund()))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 100, "re_1", overrun=False, inconsistent=True)


def test_part_that_left_holds_all_while_the_whole_is_pending() -> None:
    """Settled at 50, the hold would be half gone before the other 100 leave."""
    pieces = [read(refund(amount_minor=50, id="re_2")), read(refund("pending"))]
    verdict = _folded(2, *pieces)
    assert verdict == Proof(Event.PROVE_INCONSISTENT, 50, "re_2", overrun=True, inconsistent=True)


def test_parts_that_together_are_more_than_was_asked_are_settled() -> None:
    verdict = _folded(2, read(refund(amount_minor=60)), read(refund(amount_minor=70, id="re_2")))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 130, "re_1", overrun=True, inconsistent=True)


def test_money_in_another_currency_is_never_added_up() -> None:
    verdict = _folded(2, read(refund()), read(refund(currency="eur", id="re_2", amount_minor=7_000)))
    assert verdict == Proof(Event.PROVE_SUCCEEDED, 100, "re_1", overrun=False, inconsistent=True)


@pytest.mark.parametrize("shown", [refund(payment="pi_2"), refund(request_id="rr_2"), refund(payment=None)])
def test_the_right_amount_of_another_payment_or_request_settles_nothing(shown: ProviderRefund) -> None:
    verdict = _folded(1, read(shown))
    assert verdict == Proof(Event.PROVE_INCONSISTENT, 100, "re_1", overrun=False, inconsistent=True)


def test_a_snapshot_without_metadata_does_not_hide_one_that_names_another_request() -> None:
    verdict = _folded(1, read(refund(request_id=None)), read(refund(request_id="rr_2")))
    assert verdict.event is Event.PROVE_INCONSISTENT
