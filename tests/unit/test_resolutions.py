"""The rules of resolving, each by its table; tests/usecases plays them on real servers."""

from dataclasses import replace

import pytest

from governor.domain.credentials import Credential, Kind, Role
from governor.domain.errors import Conflict, Forbidden
from governor.domain.evidence import Evidence
from governor.domain.lifecycle import State
from governor.domain.resolutions import (
    Ending,
    Proposal,
    completes,
    contradicted,
    evidence_of,
    refuse_resolver,
    standing,
)
from tests.unit.values import NOON, request

SUCCEEDED, FAILED = Ending
ANN = Proposal(SUCCEEDED, "cred_ann", "ann", "seen", 1, NOON)
ASKED = request(State.UNKNOWN, attempts=1)


def _key(credential_id: str, owner: str, kind: Kind = Kind.HUMAN) -> Credential:
    return Credential(credential_id, "test", owner, Role.OPERATOR, kind, owner, owner, None, NOON, None, None)


@pytest.mark.parametrize(
    ("state", "attempts", "stands"),
    [(State.UNKNOWN, 1, True), (State.UNKNOWN, 2, False), (State.DISPATCHING, 1, False), (State.FAILED, 1, False)],
)  # fmt: skip
def test_a_proposal_stands_while_nothing_has_happened_since(
    state: State, attempts: int, stands: bool
) -> None:
    earlier = replace(ANN, outcome=FAILED)
    found = standing(request(state, attempts=attempts), [earlier, ANN], {ANN.credential})
    assert found == (ANN if stands else None)


def test_nothing_stands_before_anybody_has_spoken() -> None:
    assert standing(ASKED, [], ()) is None
    assert not completes(None, ANN)


#    who speaks next                             the answer
NEXT = [
    (replace(ANN, person="bob"),                 True),
    (replace(ANN, outcome=FAILED),               False),
    (replace(ANN, reason="seen again"),          "second_person_needed"),
    (replace(ANN, person="bob", outcome=FAILED), "resolution_conflict"),
]  # fmt: skip


@pytest.mark.parametrize(("proposal", "answer"), NEXT)
def test_only_another_person_who_says_the_same_completes_it(proposal: Proposal, answer: object) -> None:
    if isinstance(answer, bool):
        assert completes(ANN, proposal) is answer
        return
    with pytest.raises(Conflict) as conflict:
        completes(ANN, proposal)
    assert (conflict.value.code, conflict.value.extra["proposal"]["person"]) == (answer, "ann")


#    the caller's credential and its ancestors                       what it is refused for
CALLERS = [
    ([_key("cred_x", "eve")],                                        None),
    ([_key("cred_x", "ana")],                                        "self_resolution"),
    ([_key("cred_x", "eve"), _key("cred_y", "ana")],                 "self_resolution"),
    ([_key("cred_child", "eve")],                                    "self_resolution"),
    ([_key("cred_parent", "eve")],                                   "self_resolution"),
    ([_key("cred_x", "boss")],                                       "self_resolution"),
    ([_key("cred_x", "eve", Kind.PROGRAM)],                          "resolution_needs_human"),
]  # fmt: skip


@pytest.mark.parametrize(("chain", "code"), CALLERS)
def test_whoever_asked_and_whatever_is_no_human_does_not_resolve(
    chain: list[Credential], code: str | None
) -> None:
    """Invariant 14: with any key, and none of those that the request was made with or under."""
    requester = [_key("cred_child", "ana"), _key("cred_parent", "boss")]
    try:
        refuse_resolver(ASKED, requester, chain)
        refused = None
    except Forbidden as error:
        refused = error.code
    assert refused == code


#    people said  from                     to                          contradicts them
MOVES = [
    (SUCCEEDED,   State.UNKNOWN,           State.SUCCEEDED,            False),
    (SUCCEEDED,   State.SUCCEEDED,         State.FAILED,               True),
    (SUCCEEDED,   State.PROVIDER_PENDING,  State.FAILED,               True),
    (SUCCEEDED,   State.FAILED,            State.FAILED,               False),
    (SUCCEEDED,   State.SUCCEEDED,         State.REVERSED,             False),
    (SUCCEEDED,   State.SUCCEEDED,         State.PROVIDER_PENDING,     False),
    (FAILED,      State.UNKNOWN,           State.FAILED,               False),
    (FAILED,      State.FAILED,            State.SUCCEEDED,            True),
    (FAILED,      State.FAILED,            State.PROVIDER_PENDING,     True),
    (FAILED,      State.FAILED,            State.UNKNOWN,              True),
    (FAILED,      State.FAILED,            State.REVERSED,             False),
    (FAILED,      State.SUCCEEDED,         State.REVERSED,             False),
    (None,        State.FAILED,            State.SUCCEEDED,            False),
]  # fmt: skip


@pytest.mark.parametrize(("said", "before", "after", "against"), MOVES)
def test_what_contradicts_people(said: Ending | None, before: State, after: State, against: bool) -> None:
    known: list[Evidence] = [] if said is None else [evidence_of(said)]
    assert contradicted(known, before, after) is against
