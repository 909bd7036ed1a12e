from datetime import datetime, timedelta
from typing import Any

import pytest

from governor.domain.approval import (
    ApprovalHold,
    Ballot,
    Choice,
    check_ballot,
    refuse_amount,
    refuse_vote,
)
from governor.domain.errors import Conflict, GovernorError, Invalid
from governor.domain.lifecycle import State
from tests.unit.values import NOON, replaced, request

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
BALLOT = Ballot(Choice.APPROVE, HOLD.digest, HOLD.version)
IN_TIME, TOO_LATE = HOLD.expires_at - timedelta(microseconds=1), HOLD.expires_at
REJECT, RETURN = {"choice": Choice.REJECT}, {"choice": Choice.RETURN}
LESS = {"choice": Choice.APPROVE_LESS, "amount_minor": 50}

#   the hold                              the ballot                     of       when       refused with
VOTES: list[tuple[dict[str, Any], dict[str, Any], str, datetime, str | None]] = [
    ({},                                  {},                            "dan",   IN_TIME,   None),
    ({},                                  REJECT,                        "dan",   IN_TIME,   None),
    ({},                                  RETURN,                        "dan",   IN_TIME,   None),
    ({},                                  LESS,                          "dan",   IN_TIME,   None),
    ({"approvals": frozenset()},          {},                            "carla", IN_TIME,   None),
    # Time alone ends it, whether or not anybody has booked that (scenario 27).
    ({},                                  {},                            "dan",   TOO_LATE,  "hold_expired"),
    ({},                                  REJECT,                        "dan",   TOO_LATE,  "hold_expired"),
    ({},                                  RETURN,                        "dan",   TOO_LATE,  "hold_expired"),
    ({"state": State.EXPIRED},            {},                            "dan",   IN_TIME,   "hold_expired"),
    # What was decided stays decided (scenario 31).
    ({"state": State.QUEUED},             {},                            "dan",   IN_TIME,   "hold_already_decided"),
    ({"state": State.QUEUED},             {},                            "dan",   TOO_LATE,  "hold_already_decided"),
    ({"state": State.REJECTED},           {},                            "dan",   IN_TIME,   "hold_already_decided"),
    ({"state": State.CANCELED},           RETURN,                        "dan",   TOO_LATE,  "hold_already_decided"),
    ({"state": State.SUCCEEDED},          LESS,                          "dan",   IN_TIME,   "hold_already_decided"),
    # A quorum is of distinct people, and whoever said yes may still say no.
    ({},                                  {},                            "carla", IN_TIME,   "hold_already_decided"),
    ({},                                  LESS,                          "carla", IN_TIME,   "hold_already_decided"),
    ({},                                  REJECT,                        "carla", IN_TIME,   None),
    ({},                                  RETURN,                        "carla", IN_TIME,   None),
    # A vote counts for what was seen.
    ({},                                  {"digest": "sha256:0"},        "dan",   IN_TIME,   "hold_changed"),
    ({},                                  {"version": 2},                "dan",   IN_TIME,   "hold_changed"),
    ({"version": 4},                      {},                            "dan",   IN_TIME,   "hold_changed"),
    ({"version": 4},                      REJECT,                        "dan",   IN_TIME,   "hold_changed"),
    ({"shown": {"payment": "pi_1", "amount": 101}}, {},                  "dan",   IN_TIME,   "hold_changed"),
    ({"id": "hold_2"},                    {},                            "dan",   IN_TIME,   "hold_changed"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "said", "person", "now", "code"), VOTES)
def test_which_votes_count(
    held: dict[str, Any], said: dict[str, Any], person: str, now: datetime, code: str | None
) -> None:
    hold, ballot = replaced(HOLD, **held), replaced(BALLOT, **said)
    if code is None:
        refuse_vote(hold, ballot, person, now)
        return
    with pytest.raises(GovernorError) as refused:
        refuse_vote(hold, ballot, person, now)
    assert refused.value.code == code
    assert isinstance(refused.value, Conflict)


def test_whoever_saw_something_else_is_shown_what_stands_and_what_differs() -> None:
    earlier = {"payment": "pi_1", "amount": 150, "asked_amount": 150}
    with pytest.raises(Conflict) as refused:
        refuse_vote(HOLD, replaced(BALLOT, version=2), "dan", NOON, earlier)
    assert refused.value.extra == {
        "digest": HOLD.digest,
        "version": 3,
        "shown": HOLD.shown,
        "changes": [
            {"member": "amount", "before": 150, "now": 100},
            {"member": "asked_amount", "before": 150, "now": None},
        ],
    }


def test_a_version_that_nobody_kept_has_no_difference_to_show() -> None:
    with pytest.raises(Conflict) as refused:
        refuse_vote(HOLD, replaced(BALLOT, version=99), "dan", NOON, None)
    assert refused.value.extra["changes"] is None


def test_whoever_comes_too_late_is_told_what_was_decided() -> None:
    with pytest.raises(Conflict) as refused:
        refuse_vote(replaced(HOLD, state=State.REJECTED), BALLOT, "dan", NOON)
    assert refused.value.extra == {"state": "rejected"}


#   what is said                                                              refused field
BALLOTS: list[tuple[Choice, str | None, int | None, str | None]] = [
    (Choice.APPROVE,      None,            None,  None),
    (Choice.APPROVE,      "seen",          None,  None),
    (Choice.APPROVE_LESS, None,            50,    None),
    (Choice.REJECT,       "no photo",      None,  None),
    (Choice.RETURN,       "which box?",    None,  None),
    (Choice.REJECT,       None,            None,  "/reason"),
    (Choice.RETURN,       None,            None,  "/reason"),
    (Choice.REJECT,       "",              None,  "/reason"),
    (Choice.REJECT,       " \t\n",          None,  "/reason"),
    (Choice.RETURN,       "\u200b\u2060",   None,  "/reason"),
    (Choice.APPROVE,      "  ",            None,  "/reason"),
    (Choice.REJECT,       "x" * 2001,      None,  "/reason"),
    (Choice.APPROVE_LESS, None,            None,  "/amount"),
    (Choice.APPROVE,      None,            50,    "/amount"),
    (Choice.REJECT,       "no",            50,    "/amount"),
]  # fmt: skip


@pytest.mark.parametrize(("choice", "reason", "amount", "field"), BALLOTS)
def test_a_no_and_a_question_need_words_and_only_less_names_an_amount(
    choice: Choice, reason: str | None, amount: int | None, field: str | None
) -> None:
    ballot = replaced(BALLOT, choice=choice, reason=reason, amount_minor=amount)
    if field is None:
        check_ballot(ballot)
        return
    with pytest.raises(Invalid) as refused:
        check_ballot(ballot)
    assert [error.pointer for error in refused.value.errors] == [field]


#   asked  currency  less   refused with
AMOUNTS = [
    (1500, "usd",    1,     None),
    (1500, "usd",    1499,  None),
    (1500, "usd",    1500,  "amount_not_less"),
    (1500, "usd",    1501,  "amount_not_less"),
    (1500, "usd",    0,     "amount_out_of_range"),
    (1500, "isk",    1400,  None),
    (1500, "isk",    1450,  "amount_step"),
    (1500, "kwd",    1490,  None),
    (1500, "kwd",    1495,  "amount_step"),
    (1500, "jpy",    1499,  None),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "currency", "less", "code"), AMOUNTS)
def test_less_is_an_amount_of_the_currency_below_what_is_asked(
    asked: int, currency: str, less: int, code: str | None
) -> None:
    ballot = replaced(BALLOT, choice=Choice.APPROVE_LESS, amount_minor=less)
    waits = request(State.PENDING_APPROVAL, amount_minor=asked, currency=currency)
    if code is None:
        refuse_amount(waits, ballot)
        return
    with pytest.raises(Invalid) as refused:
        refuse_amount(waits, ballot)
    assert [error.code for error in refused.value.errors] == [code]


def test_the_digest_binds_the_hold_its_version_and_everything_shown() -> None:
    others = [
        replaced(HOLD, id="hold_2"),
        replaced(HOLD, version=4),
        replaced(HOLD, shown={"payment": "pi_1", "amount": 10, "note": "0"}),
    ]
    assert len({HOLD.digest, *(hold.digest for hold in others)}) == 4
    turned = replaced(HOLD, shown={"amount": 100, "payment": "pi_1"})
    assert turned.digest == HOLD.digest, "the order of keys is no content"
