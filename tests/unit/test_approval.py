from datetime import datetime, timedelta
from typing import Any

import pytest

from governor.domain.approval import ApprovalHold, Choice, Vote, refuse_vote
from governor.domain.errors import Conflict, GovernorError
from governor.domain.lifecycle import State
from tests.unit.values import NOON, replaced

HOLD = ApprovalHold(
    id="hold_1",
    request="rr_1",
    state=State.PENDING_APPROVAL,
    version=3,
    quorum=2,
    expires_at=NOON + timedelta(hours=1),
    shown={"payment": "pi_1", "amount": 100},
    approvals=frozenset({"carla"}),
)
VOTE = Vote(Choice.APPROVE, "cred_dan", "dan", HOLD.digest, HOLD.version, None)
IN_TIME, TOO_LATE = HOLD.expires_at - timedelta(microseconds=1), HOLD.expires_at

#   the hold                              the vote                                    when       refused with
VOTES: list[tuple[dict[str, Any], dict[str, Any], datetime, str | None]] = [
    ({},                                  {},                                         IN_TIME,   None),
    ({},                                  {"choice": Choice.REJECT},                  IN_TIME,   None),
    ({"approvals": frozenset()},          {"person": "carla"},                        IN_TIME,   None),
    # Time alone ends it, whether or not anybody has booked that (scenario 27).
    ({},                                  {},                                         TOO_LATE,  "hold_expired"),
    ({},                                  {"choice": Choice.REJECT},                  TOO_LATE,  "hold_expired"),
    ({"state": State.EXPIRED},            {},                                         IN_TIME,   "hold_expired"),
    # What was decided stays decided (scenario 31).
    ({"state": State.QUEUED},             {},                                         IN_TIME,   "hold_already_decided"),
    ({"state": State.QUEUED},             {},                                         TOO_LATE,  "hold_already_decided"),
    ({"state": State.REJECTED},           {},                                         IN_TIME,   "hold_already_decided"),
    ({"state": State.CANCELED},           {},                                         TOO_LATE,  "hold_already_decided"),
    ({"state": State.SUCCEEDED},          {},                                         IN_TIME,   "hold_already_decided"),
    # A quorum is of distinct people.
    ({},                                  {"person": "carla"},                        IN_TIME,   "hold_already_decided"),
    ({},                                  {"person": "carla", "credential": "cred_9"}, IN_TIME,  "hold_already_decided"),
    # A vote counts for what was seen.
    ({},                                  {"digest": "sha256:0"},                     IN_TIME,   "hold_changed"),
    ({},                                  {"version": 2},                             IN_TIME,   "hold_changed"),
    ({"version": 4},                      {},                                         IN_TIME,   "hold_changed"),
    ({"shown": {"payment": "pi_1", "amount": 101}}, {},                               IN_TIME,   "hold_changed"),
    ({"id": "hold_2"},                    {},                                         IN_TIME,   "hold_changed"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "voted", "now", "code"), VOTES)
def test_which_votes_count(
    held: dict[str, Any], voted: dict[str, Any], now: datetime, code: str | None
) -> None:
    hold, vote = replaced(HOLD, **held), replaced(VOTE, **voted)
    if code is None:
        refuse_vote(hold, vote, now)
        return
    with pytest.raises(GovernorError) as refused:
        refuse_vote(hold, vote, now)
    assert refused.value.code == code
    assert isinstance(refused.value, Conflict)


def test_whoever_saw_something_else_is_shown_what_stands() -> None:
    with pytest.raises(Conflict) as refused:
        refuse_vote(HOLD, replaced(VOTE, version=2), NOON)
    assert refused.value.extra == {"digest": HOLD.digest, "version": 3, "shown": HOLD.shown}


def test_whoever_comes_too_late_is_told_what_was_decided() -> None:
    with pytest.raises(Conflict) as refused:
        refuse_vote(replaced(HOLD, state=State.REJECTED), VOTE, NOON)
    assert refused.value.extra == {"state": "rejected"}


def test_the_digest_binds_the_hold_its_version_and_everything_shown() -> None:
    others = [
        replaced(HOLD, id="hold_2"),
        replaced(HOLD, version=4),
        replaced(HOLD, shown={"payment": "pi_1", "amount": 10, "note": "0"}),
    ]
    assert len({HOLD.digest, *(hold.digest for hold in others)}) == 4
    turned = replaced(HOLD, shown={"amount": 100, "payment": "pi_1"})
    assert turned.digest == HOLD.digest, "the order of keys is no content"
