"""The lifecycle, written a second time by hand: a change of the one table must be made here, too."""

import pytest

from governor.domain import lifecycle
from governor.domain.errors import InvariantBroken
from governor.domain.lifecycle import Capacity, Event, MoneyMoved, ProviderEffect, State, move

STATES = {
    "D": State.DENIED,
    "P": State.PENDING_APPROVAL,
    "Q": State.QUEUED,
    "X": State.DISPATCHING,
    "U": State.UNKNOWN,
    "W": State.PROVIDER_PENDING,
    "S": State.SUCCEEDED,
    "F": State.FAILED,
    "R": State.REVERSED,
    "N": State.REJECTED,
    "E": State.EXPIRED,
    "C": State.CANCELED,
}

MOVES = """
    from                D P Q X U W S F R N E C
    approve             . Q . . . . . . . . . .
    reject              . N . . . . . . . . . .
    expire              . E . . . . . . . . . .
    cancel              . C C . . . . . . . . .
    take_back           . . P . . . . . . . . .
    claim               . . X . X . . . . . . .
    lease_lost          . . . U . . . . . . . .
    prove_not_executed  . . . Q Q . . . . . . .
    prove_rejected      . . F F F . F . . . . F
    prove_in_doubt      . . . U . . . . . . . .
    prove_inconsistent  . U U U . U U U U U U U
    prove_pending       . W W W W . W W W W W W
    prove_succeeded     . S S S S S . S S S S S
    prove_failed        . F F F F F F . F F F F
    prove_reversed      . R R R R R R R . R R R
    prove_absent        . . . . C . . . . . . .
    resolve_succeeded   . . . . S . . . . . . .
    resolve_failed      . . . . F . . . . . . .
"""

#             state               capacity    effect      money      task       if a cancellation is wished
STANDING = """
              denied              none        none        no         stopped    stopped
              pending_approval    held        none        no         open       stopped
              queued              held        none        no         open       stopped
              dispatching         held        in_doubt    unknown    open       stopped
              unknown             held        in_doubt    unknown    open       stopped
              provider_pending    held        pending     unknown    open       stopped
              succeeded           settled     done        yes        done       done
              failed              released    failed      no         done       done
              reversed            released    failed      no         done       done
              rejected            released    none        no         stopped    stopped
              expired             released    none        no         stopped    stopped
              canceled            released    none        no         stopped    stopped
"""


def _moves_by_hand() -> dict[tuple[State, Event], State]:
    (_, *letters), *lines = [line.split() for line in MOVES.split("\n") if line.strip()]
    return {
        (STATES[letter], Event(event)): STATES[after]
        for event, *row in lines
        for letter, after in zip(letters, row, strict=True)
        if after != "."
    }


def test_the_moves_are_those_of_the_table_and_no_others() -> None:
    assert _moves_by_hand() == lifecycle.MOVES


def test_every_state_and_every_event_has_its_place_in_the_table() -> None:
    by_hand = _moves_by_hand()
    assert set(STATES.values()) == set(State)
    assert {event for _, event in by_hand} == set(Event)


def test_what_has_no_row_does_not_happen() -> None:
    by_hand = _moves_by_hand()
    impossible = [(state, event) for state in State for event in Event if (state, event) not in by_hand]
    assert len(impossible) == len(State) * len(Event) - len(by_hand)
    for state, event in impossible:
        with pytest.raises(InvariantBroken, match=f"{event} cannot happen to a request that is {state}"):
            move(state, event)
    for (state, event), after in by_hand.items():
        assert move(state, event) is after


def test_every_state_can_be_reached_from_an_admission() -> None:
    reached, edge = set(lifecycle.ENTRY_STATES), set(lifecycle.ENTRY_STATES)
    while edge:
        edge = {after for (state, _), after in lifecycle.MOVES.items() if state in edge} - reached
        reached |= edge
    assert reached == set(State)


def test_nothing_ever_happens_to_a_denial() -> None:
    assert not [event for state, event in lifecycle.MOVES if state is State.DENIED]


def test_what_a_state_holds_and_shows() -> None:
    lines = [line.split() for line in STANDING.split("\n") if line.strip()]
    assert [line[0] for line in lines] == list(State)
    for name, capacity, effect, moved, task, task_when_wished in lines:
        state = State(name)
        assert lifecycle.CAPACITY[state] is Capacity(capacity), name
        assert lifecycle.EFFECT[state] is ProviderEffect(effect), name
        assert lifecycle.money_moved(state) is MoneyMoved(moved), name
        assert lifecycle.task(state, cancel_requested=False) == task, name
        assert lifecycle.task(state, cancel_requested=True) == task_when_wished, name


def test_the_groups_of_states() -> None:
    held = {State.PENDING_APPROVAL, State.QUEUED, State.DISPATCHING, State.UNKNOWN, State.PROVIDER_PENDING}
    assert held == lifecycle.OPEN_STATES
    assert set(State) - held == lifecycle.FINAL_STATES
    assert {State.DISPATCHING, State.UNKNOWN} == lifecycle.UNRESOLVED_STATES
    assert {State.PENDING_APPROVAL, State.QUEUED} == lifecycle.CANCEL_STOPS
    assert {State.DENIED, State.PENDING_APPROVAL, State.QUEUED} == lifecycle.ENTRY_STATES


def test_capacity_comes_back_only_by_proof_or_by_a_decision() -> None:
    """Invariant 6: never by a lost lease, by doubt, or by anything else that proves nothing."""
    releasing = {
        event
        for (state, event), after in lifecycle.MOVES.items()
        if lifecycle.CAPACITY[state] is not Capacity.RELEASED
        and lifecycle.CAPACITY[after] is Capacity.RELEASED
    }
    assert releasing == {
        Event.REJECT,
        Event.EXPIRE,
        Event.CANCEL,
        Event.PROVE_REJECTED,
        Event.PROVE_FAILED,
        Event.PROVE_REVERSED,
        Event.PROVE_ABSENT,
        Event.RESOLVE_FAILED,
    }


@pytest.mark.parametrize("state", [s for s in State if s is not State.DENIED])
def test_a_refund_that_exists_is_booked_wherever_its_request_stands(state: State) -> None:
    """Invariant 10: capacity is taken as long as the money is gone or on its way."""
    for event in (Event.PROVE_PENDING, Event.PROVE_SUCCEEDED, Event.PROVE_INCONSISTENT):
        after = lifecycle.MOVES.get((state, event), state)
        assert lifecycle.CAPACITY[after] in {Capacity.HELD, Capacity.SETTLED}
