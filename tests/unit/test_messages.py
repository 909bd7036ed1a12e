"""Which rows of the audit trail are told to endpoints, and as what."""

import re
from pathlib import Path

import pytest

from governor.domain import wording
from governor.domain.audit import Entry
from governor.domain.lifecycle import State
from governor.domain.messages import OF_STATE, TOLD, TYPES, Telling, told_by

# Every audit action in the code, by whether endpoints are told of it.
TOLD_TO_ENDPOINTS = """
    refund_request.admitted refund_request.denied refund_request.evidence refund_request.lease_lost
    refund_request.canceled refund_request.expired refund_request.flagged refund_request.cancel_wished
    refund_request.resolution_contradicted refund_request.parked
    refund_request.returned refund_request.answered hold.decided
    limit.created limit.changed limit.archived
    freeze.began freeze.end_proposed freeze.ended
    environment.changed environment.acknowledged environment.fenced environment.stopped
    credential.created credential.rotated credential.revoked
    external_refund.noticed
    endpoint.created endpoint.rotated endpoint.disabled endpoint.enabled endpoint.deleted endpoint.tested
    """.split()
TOLD_TO_NOBODY = {
    "refund_request.claimed": "a worker has taken it; what comes of it is told",
    "refund_request.capacity_proven": "it goes on as it was",
    "refund_request.resolution_proposed": "the first of two people; the desk shows it",
    "refund_request.resolved": "what it has led to is told as evidence",
    "limit.counted": "a step of making a limit",
    "hold.facts_changed": "whoever decides next is told",
    "freeze.repeated": "it is frozen already",
    "environment.founded": "nobody can listen yet",
    "external_refund.moved": "the Dashboard's own business; its room is in the reports",
    "external_refund.handed_over": "it turned out to be ours",
    "endpoint.replayed": "the endpoint gets the message itself",
    "permission.refused": "for the auditors",
    "person.disabled": "for the auditors",
    "person.enabled": "for the auditors",
    "run.asked": "whoever asked looks at the run",
    "run.cancel_requested": "whoever asked looks at the run",
    "run.ended": "whoever asked looks at the run",
}
_NOUNS = "refund_request|external_refund|hold|limit|freeze|environment|credential|endpoint|permission|person|membership|run"
ACTION = re.compile(rf'"((?:{_NOUNS})\.[a-z_]+)"')


def test_of_every_audit_action_it_is_said_whether_endpoints_are_told(project_root: Path) -> None:
    found = {
        action
        for path in (project_root / "governor" / "usecases").glob("*.py")
        for action in ACTION.findall(path.read_text(encoding="utf-8"))
    }
    assert len(found) > 30
    undecided = sorted(found - {*TOLD_TO_ENDPOINTS} - {*TOLD_TO_NOBODY})
    assert not undecided, (
        f"say in governor/domain/messages.py or here whether endpoints are told of {undecided}"
    )
    assert {*TOLD_TO_ENDPOINTS} | {*TOLD_TO_NOBODY} <= found | {"endpoint.tested"}


def test_the_table_tells_what_was_meant() -> None:
    assert set(TOLD) == set(TOLD_TO_ENDPOINTS)


def _moved(action: str, before: str | None, after: str) -> tuple[Telling, ...]:
    return told_by(Entry("governor", action, "rr_1", {"from": before, "to": after}))


@pytest.mark.parametrize("state", list(State))
def test_a_request_that_comes_into_a_state_is_told_once(state: State) -> None:
    told = _moved("refund_request.evidence", None, state.value)
    assert told == (() if state is State.DISPATCHING else (Telling(OF_STATE[state], "rr_1"),))
    assert _moved("refund_request.evidence", state.value, state.value) == ()


def test_a_vote_that_moves_nothing_tells_nothing() -> None:
    assert _moved("hold.decided", "pending_approval", "pending_approval") == ()
    assert _moved("hold.decided", "pending_approval", "rejected") == (
        Telling("refund_request.rejected", "rr_1"),
    )


def test_an_overrun_names_its_request_beside_the_stop() -> None:
    stops = {"frozen": None, "halted": "overrun: rr_7", "paused": None}
    told = told_by(Entry("governor", "environment.stopped", "test", {"from": {}, "to": stops}))
    assert told == (Telling("environment.stopped", "test"), Telling("refund_request.overrun", "rr_7"))
    stops["halted"] = "inconsistent_evidence: rr_7"
    told = told_by(Entry("governor", "environment.stopped", "test", {"from": {}, "to": stops}))
    assert told == (Telling("environment.stopped", "test"),)


def test_what_nobody_has_heard_of_is_told_to_nobody() -> None:
    assert told_by(Entry("governor", "something.new", "x_1", {})) == ()


def test_every_type_has_its_words() -> None:
    assert set(wording._HAS) == TYPES
