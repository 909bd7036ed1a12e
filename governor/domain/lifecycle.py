"""The life of a refund request: every state, what it holds, and every move. No other code changes a state.

The picture in README.md and docs/ is drawn from these tables; a test writes them a second time by hand.
"""

from __future__ import annotations

from enum import StrEnum

from governor.domain.errors import InvariantBroken


class State(StrEnum):
    """Where a refund request stands (DESIGN §4)."""

    DENIED = "denied"
    PENDING_APPROVAL = "pending_approval"
    QUEUED = "queued"
    DISPATCHING = "dispatching"
    UNKNOWN = "unknown"
    PROVIDER_PENDING = "provider_pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REVERSED = "reversed"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELED = "canceled"


class Event(StrEnum):
    """What can happen to a refund request. The `prove_*` events carry the result of the evidence fold.

    `prove_in_doubt`: replies leave open whether a call was executed. `prove_inconsistent`: a refund exists
    that is not the one asked for.
    """

    APPROVE = "approve"
    REJECT = "reject"
    EXPIRE = "expire"
    CANCEL = "cancel"
    TAKE_BACK = "take_back"
    CLAIM = "claim"
    LEASE_LOST = "lease_lost"
    PROVE_NOT_EXECUTED = "prove_not_executed"
    PROVE_REJECTED = "prove_rejected"
    PROVE_IN_DOUBT = "prove_in_doubt"
    PROVE_INCONSISTENT = "prove_inconsistent"
    PROVE_PENDING = "prove_pending"
    PROVE_SUCCEEDED = "prove_succeeded"
    PROVE_FAILED = "prove_failed"
    PROVE_REVERSED = "prove_reversed"
    PROVE_ABSENT = "prove_absent"
    RESOLVE_SUCCEEDED = "resolve_succeeded"
    RESOLVE_FAILED = "resolve_failed"


class Capacity(StrEnum):
    """What a state does with the capacity that the request took on its counters."""

    NONE = "none"
    HELD = "held"
    SETTLED = "settled"
    RELEASED = "released"


class ProviderEffect(StrEnum):
    """What happened at Stripe, shown apart from the user's task (DESIGN §4, end)."""

    NONE = "none"
    IN_DOUBT = "in_doubt"
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class MoneyMoved(StrEnum):
    """The one question a customer asks."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


CAPACITY: dict[State, Capacity] = {
    State.DENIED: Capacity.NONE,
    State.PENDING_APPROVAL: Capacity.HELD,
    State.QUEUED: Capacity.HELD,
    State.DISPATCHING: Capacity.HELD,
    State.UNKNOWN: Capacity.HELD,
    State.PROVIDER_PENDING: Capacity.HELD,
    State.SUCCEEDED: Capacity.SETTLED,
    State.FAILED: Capacity.RELEASED,
    State.REVERSED: Capacity.RELEASED,
    State.REJECTED: Capacity.RELEASED,
    State.EXPIRED: Capacity.RELEASED,
    State.CANCELED: Capacity.RELEASED,
}

EFFECT: dict[State, ProviderEffect] = {
    State.DENIED: ProviderEffect.NONE,
    State.PENDING_APPROVAL: ProviderEffect.NONE,
    State.QUEUED: ProviderEffect.NONE,
    State.DISPATCHING: ProviderEffect.IN_DOUBT,
    State.UNKNOWN: ProviderEffect.IN_DOUBT,
    State.PROVIDER_PENDING: ProviderEffect.PENDING,
    State.SUCCEEDED: ProviderEffect.DONE,
    State.FAILED: ProviderEffect.FAILED,
    State.REVERSED: ProviderEffect.FAILED,
    State.REJECTED: ProviderEffect.NONE,
    State.EXPIRED: ProviderEffect.NONE,
    State.CANCELED: ProviderEffect.NONE,
}

ENTRY_STATES = frozenset({State.DENIED, State.PENDING_APPROVAL, State.QUEUED})
"""Where admission may put a new request."""

OPEN_STATES = frozenset(state for state, capacity in CAPACITY.items() if capacity is Capacity.HELD)
"""States that hold capacity: the task is not over."""

FINAL_STATES = frozenset(State) - OPEN_STATES
"""States in which the task is over. Late truth can still move them (DESIGN invariant 10)."""

UNRESOLVED_STATES = frozenset({State.DISPATCHING, State.UNKNOWN})
"""A call may be under way or may have reached Stripe; nothing else is sent for that payment."""

_TRUTH: dict[Event, State] = {
    Event.PROVE_INCONSISTENT: State.UNKNOWN,
    Event.PROVE_PENDING: State.PROVIDER_PENDING,
    Event.PROVE_SUCCEEDED: State.SUCCEEDED,
    Event.PROVE_FAILED: State.FAILED,
    Event.PROVE_REVERSED: State.REVERSED,
}
"""What a refund that exists at the provider makes of its request, wherever that stands.

One state per truth is what makes any order of evidence end alike (invariant 8): what comes late is booked,
not dropped (invariant 10), also when it takes back an earlier truth. A denied request has no holds to move:
a refund that names one counts as made elsewhere.
"""

MOVES: dict[tuple[State, Event], State] = {
    **{
        (state, event): after
        for event, after in _TRUTH.items()
        for state in State
        if state not in {State.DENIED, after}
    },
    (State.PENDING_APPROVAL, Event.APPROVE): State.QUEUED,
    (State.PENDING_APPROVAL, Event.REJECT): State.REJECTED,
    (State.PENDING_APPROVAL, Event.EXPIRE): State.EXPIRED,
    (State.PENDING_APPROVAL, Event.CANCEL): State.CANCELED,
    (State.QUEUED, Event.CANCEL): State.CANCELED,
    # Whoever decided may think again until a worker has it: a request that was ever claimed is not taken back.
    (State.QUEUED, Event.TAKE_BACK): State.PENDING_APPROVAL,
    (State.QUEUED, Event.CLAIM): State.DISPATCHING,
    (State.UNKNOWN, Event.CLAIM): State.DISPATCHING,
    (State.DISPATCHING, Event.LEASE_LOST): State.UNKNOWN,
    (State.DISPATCHING, Event.PROVE_IN_DOUBT): State.UNKNOWN,
    (State.DISPATCHING, Event.PROVE_NOT_EXECUTED): State.QUEUED,
    (State.UNKNOWN, Event.PROVE_NOT_EXECUTED): State.QUEUED,
    (State.DISPATCHING, Event.PROVE_REJECTED): State.FAILED,
    (State.UNKNOWN, Event.PROVE_REJECTED): State.FAILED,
    # The proof that the task is over may come after the proof that nothing was executed.
    (State.QUEUED, Event.PROVE_REJECTED): State.FAILED,
    (State.CANCELED, Event.PROVE_REJECTED): State.FAILED,
    # It also outweighs two people who said that it succeeded.
    (State.SUCCEEDED, Event.PROVE_REJECTED): State.FAILED,
    (State.UNKNOWN, Event.PROVE_ABSENT): State.CANCELED,
    (State.UNKNOWN, Event.RESOLVE_SUCCEEDED): State.SUCCEEDED,
    (State.UNKNOWN, Event.RESOLVE_FAILED): State.FAILED,
}
"""Every allowed move. What is not here does not happen."""

CANCEL_STOPS = frozenset(state for state, event in MOVES if event is Event.CANCEL)
"""Here a cancellation stops the task; in other open states it is only a recorded wish (invariant 16)."""


def move(state: State, event: Event) -> State:
    """The state after `event`.

    Raises:
        InvariantBroken: `illegal_move` when the table has no such move; callers check first.
    """
    after = MOVES.get((state, event))
    if after is None:
        raise InvariantBroken("illegal_move", f"{event} cannot happen to a request that is {state}")
    return after


def money_moved(state: State) -> MoneyMoved:
    """Whether money left: `unknown` while in doubt or pending at Stripe, never a guess."""
    return {
        ProviderEffect.DONE: MoneyMoved.YES,
        ProviderEffect.IN_DOUBT: MoneyMoved.UNKNOWN,
        ProviderEffect.PENDING: MoneyMoved.UNKNOWN,
    }.get(EFFECT[state], MoneyMoved.NO)


def task(state: State, *, cancel_requested: bool) -> str:
    """What the user's task is: `open`, `stopped` (they or somebody said no) or `done`."""
    if state in {State.SUCCEEDED, State.FAILED, State.REVERSED}:
        return "done"
    if state in FINAL_STATES or cancel_requested:
        return "stopped"
    return "open"
