"""Which rows of the audit trail are told to endpoints, and as what."""

import pytest

from governor.domain import wording
from governor.domain.audit import Entry
from governor.domain.lifecycle import State
from governor.domain.messages import OF_STATE, TYPES, Telling, told_by


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
    assert set(wording.SAYS) == TYPES
