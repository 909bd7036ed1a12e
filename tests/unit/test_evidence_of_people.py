"""What two people say outweighs doubt, and everything else outweighs them."""

import pytest

from governor.domain.evidence import Evidence, Proof, Source, fold
from governor.domain.lifecycle import Event
from governor.domain.outcome import Outcome
from governor.domain.payments import ProviderRefund
from tests.unit.values import EXPECTED, read, refund, reply

ACCEPTED, REJECTED, NOT_EXECUTED, UNKNOWN = Outcome
SUCCEEDED, FAILED = Evidence(Source.OPERATOR, ACCEPTED), Evidence(Source.OPERATOR, REJECTED)
"""What two people say."""


def _folded(attempts: int, *pieces: Evidence) -> Proof:
    return fold(EXPECTED, attempts, pieces)


#    attempts  replies                                       people     what then counts           what has left
PEOPLE = [
    (1, [],                                                  SUCCEEDED, Event.RESOLVE_SUCCEEDED,   100),
    (1, [],                                                  FAILED,    Event.RESOLVE_FAILED,      0),
    (2, [reply(2, UNKNOWN)],                                 SUCCEEDED, Event.RESOLVE_SUCCEEDED,   100),
    (2, [reply(2, UNKNOWN)],                                 FAILED,    Event.RESOLVE_FAILED,      0),
    (2, [reply(1, UNKNOWN), reply(2, REJECTED)],             SUCCEEDED, Event.RESOLVE_SUCCEEDED,   100),
    # Proof for every attempt outweighs them, and what they have ended is not sent again.
    (2, [reply(1, NOT_EXECUTED), reply(2, REJECTED)],        SUCCEEDED, Event.PROVE_REJECTED,      0),
    (2, [reply(2, REJECTED, kept=True)],                     SUCCEEDED, Event.PROVE_REJECTED,      0),
    (2, [reply(1, NOT_EXECUTED), reply(2, NOT_EXECUTED)],    SUCCEEDED, Event.PROVE_REJECTED,      0),
    (2, [reply(1, NOT_EXECUTED), reply(2, NOT_EXECUTED)],    FAILED,    Event.PROVE_REJECTED,      0),
]  # fmt: skip


@pytest.mark.parametrize(("attempts", "pieces", "people", "event", "moved"), PEOPLE)
def test_people_outweigh_doubt_and_nothing_else(
    attempts: int, pieces: list[Evidence], people: Evidence, event: Event, moved: int
) -> None:
    manual = event in {Event.RESOLVE_SUCCEEDED, Event.RESOLVE_FAILED}
    verdict = Proof(event, moved, None, overrun=False, inconsistent=False, manual=manual)
    assert _folded(attempts, *pieces, people) == verdict


@pytest.mark.parametrize("people", [SUCCEEDED, FAILED])
@pytest.mark.parametrize("status", ["pending", "succeeded", "failed"])
@pytest.mark.parametrize("amount", [100, 60, 5000])
def test_a_refund_at_the_provider_outweighs_people(people: Evidence, status: str, amount: int) -> None:
    """RELIABILITY G9: the verdict is the one that the refund gives without them."""
    seen = read(refund(status, amount_minor=amount))
    assert _folded(1, seen, people) == _folded(1, seen)


@pytest.mark.parametrize("people", [SUCCEEDED, FAILED])
@pytest.mark.parametrize(
    "shown", [refund(amount_minor=99), refund(currency="eur"), refund(request_id="rr_2")]
)
def test_people_outweigh_a_refund_that_only_a_mangled_reply_has_shown(
    people: Evidence, shown: ProviderRefund
) -> None:
    """Else nothing could ever end it: no read finds such a refund, and none fits it."""
    mangled = reply(1, UNKNOWN, shown)
    verdict = _folded(1, mangled, people)
    assert verdict.manual
    assert (verdict.event, verdict.inconsistent) == (_folded(1, people).event, False)
    assert _folded(1, mangled, people, read(shown)).event is Event.PROVE_INCONSISTENT, "a read confirms it"
