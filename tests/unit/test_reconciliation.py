from dataclasses import replace
from typing import Any

import pytest

from governor.domain.environments import Environment, Mode
from governor.domain.evidence import Evidence
from governor.domain.external import noticed
from governor.domain.lifecycle import State
from governor.domain.reconciliation import (
    UNEXPLAINED,
    Explanation,
    Line,
    Planes,
    Report,
    line_not_in_books,
    line_of_external,
    line_of_request,
    missing_at_provider,
)
from tests.unit.values import NOON, read, refund
from tests.unit.values import request as a_request

HERE = Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 0, 1, NOON)


def shown(*statuses: str, **fields: Any) -> list[Evidence]:
    """Evidence of one refund for each status, of 100 usd unless `fields` say otherwise."""
    return [read(refund(status, id=f"re_{n}", **fields)) for n, status in enumerate(statuses)]


#   state                    moved  evidence                                    explanation              difference
LINES = [
    (State.PENDING_APPROVAL, 0,     [],                                         Explanation.NOT_SENT,     100),
    (State.QUEUED,           0,     [],                                         Explanation.NOT_SENT,     100),
    (State.DISPATCHING,      0,     [],                                         Explanation.IN_DOUBT,     100),
    (State.UNKNOWN,          0,     [],                                         Explanation.IN_DOUBT,     100),
    (State.PROVIDER_PENDING, 0,     shown("pending"),                           Explanation.MATCHES,      0),
    (State.SUCCEEDED,        100,   shown("succeeded"),                         Explanation.MATCHES,      0),
    (State.REVERSED,         0,     shown("failed"),                            Explanation.REVERSED,     0),
    (State.FAILED,           0,     shown("failed"),                            Explanation.REVERSED,     0),
    # One request, and the provider refunded more: both books say so.
    (State.SUCCEEDED,        150,   shown("succeeded", amount_minor=150),       Explanation.OVERRUN,      0),
    (State.SUCCEEDED,        200,   shown("succeeded", "succeeded"),            Explanation.OVERRUN,      0),
    # Another amount keeps the full hold until somebody explains it (invariant 7).
    (State.UNKNOWN,          0,     shown("succeeded", amount_minor=90),        Explanation.INCONSISTENT, 10),
    (State.UNKNOWN,          0,     shown("succeeded", currency="eur"),         Explanation.INCONSISTENT, 0),
    (State.UNKNOWN,          0,     shown("succeeded", payment="pi_9"),         Explanation.INCONSISTENT, 0),
    # What the rules cannot lead to must show if it is there all the same.
    (State.FAILED,           0,     shown("succeeded"),                         Explanation.UNEXPLAINED,  -100),
    (State.CANCELED,         0,     shown("pending"),                           Explanation.UNEXPLAINED,  -100),
    (State.SUCCEEDED,        100,   [],                                         Explanation.UNEXPLAINED,  100),
    (State.SUCCEEDED,        100,   shown("failed"),                            Explanation.UNEXPLAINED,  100),
    (State.SUCCEEDED,        100,   shown("succeeded", "pending"),              Explanation.UNEXPLAINED,  -100),
]  # fmt: skip


@pytest.mark.parametrize(("state", "moved", "evidence", "explanation", "difference"), LINES)
def test_a_request_stands_on_both_planes_with_why_they_may_differ(
    state: State, moved: int, evidence: list[Evidence], explanation: Explanation, difference: int
) -> None:
    line = line_of_request(a_request(state, moved_minor=moved), evidence)
    assert line is not None
    assert (line.explanation, line.planes.difference) == (explanation, difference)
    assert line.explained is (explanation not in UNEXPLAINED)


def test_a_request_that_took_and_moved_nothing_is_no_line() -> None:
    assert line_of_request(a_request(State.EXPIRED), []) is None
    assert line_of_request(a_request(State.FAILED), []) is None


def test_what_two_people_said_is_explained_by_them() -> None:
    line = line_of_request(a_request(State.SUCCEEDED, moved_minor=100, manual=True), [])
    assert line is not None
    assert (line.explanation, line.planes.difference) == (Explanation.MANUAL, 100)


#   status       claims     explanation                          exposure and evidence
ELSEWHERE = [
    ("succeeded", None,     Explanation.UNGOVERNED,              Planes(settled=100, succeeded=100)),
    ("pending",   None,     Explanation.UNGOVERNED,              Planes(held=100, pending=100)),
    ("failed",    None,     Explanation.UNGOVERNED,              Planes(failed=100)),
    ("succeeded", "rr_9",   Explanation.CLAIMS_UNKNOWN_REQUEST,  Planes(settled=100, succeeded=100)),
]  # fmt: skip


@pytest.mark.parametrize(("status", "claims", "explanation", "planes"), ELSEWHERE)
def test_a_refund_made_elsewhere_stands_on_both_planes(
    status: str, claims: str | None, explanation: Explanation, planes: Planes
) -> None:
    line = line_of_external(noticed(refund(status, request_id=claims), None, NOON), HERE)
    assert (line.request, line.explanation, line.planes) == (None, explanation, planes)


def test_what_happened_before_the_founding_is_on_the_evidence_plane_only() -> None:
    early = replace(noticed(refund(request_id=None), None, NOON), happened_at=NOON.replace(year=2020))
    line = line_of_external(early, HERE)
    assert (line.explanation, line.planes) == (Explanation.BEFORE_GOVERNOR, Planes(succeeded=100))


def test_what_only_one_side_lists_must_be_looked_at() -> None:
    beyond = line_not_in_books(refund("requires_action"))
    assert (beyond.explanation, beyond.planes) == (Explanation.NOT_IN_BOOKS, Planes(pending=100))
    assert missing_at_provider(beyond).explanation is Explanation.NOT_AT_PROVIDER
    assert not beyond.explained


def test_the_totals_are_shown_side_by_side_and_never_forced_to_agree() -> None:
    lines = tuple(
        line
        for state, moved, evidence, *_ in LINES
        if (line := line_of_request(a_request(state, moved_minor=moved), evidence))
    )
    report = Report("test", "usd", NOON, NOON, NOON, False, lines)
    assert report.totals == sum((line.planes for line in lines), Planes())
    assert report.totals.difference != 0
    assert report.unexplained == sum(line.explanation in UNEXPLAINED for line in lines)


def test_every_explanation_is_decided_on() -> None:
    """A new word is either explained or to be looked at, and shows in one of the lines above."""
    tried = {row[3] for row in LINES} | {row[2] for row in ELSEWHERE}
    others = {
        Explanation.MANUAL,
        Explanation.BEFORE_GOVERNOR,
        Explanation.NOT_IN_BOOKS,
        Explanation.NOT_AT_PROVIDER,
    }
    assert tried | others == set(Explanation)
    assert isinstance(line_not_in_books(refund()), Line)
