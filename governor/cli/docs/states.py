"""The life of a refund request as a picture and as tables, drawn from governor.domain.lifecycle and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from governor.cli.docs.markdown import code, table
from governor.domain.lifecycle import (
    CAPACITY,
    EFFECT,
    ENTRY_STATES,
    MOVES,
    Capacity,
    Event,
    ProviderEffect,
    State,
    money_moved,
    task,
)

SAYS: Final[Mapping[State, str]] = {
    State.DENIED: "refused at once, recorded with its arithmetic",
    State.PENDING_APPROVAL: "waits for people",
    State.QUEUED: "may be sent",
    State.DISPATCHING: "a worker has it under a lease; the call may be under way",
    State.UNKNOWN: "a call may have reached Stripe, and nobody knows",
    State.PROVIDER_PENDING: "Stripe has it, and it is not final there",
    State.SUCCEEDED: "Stripe says succeeded",
    State.FAILED: "Stripe refused it, or says that it failed before it succeeded",
    State.REVERSED: "succeeded first, then failed at the bank, up to 30 days later",
    State.REJECTED: "an approver said no",
    State.EXPIRED: "nobody decided in time",
    State.CANCELED: "stopped before it was sent, or proven never to have been executed",
}
"""What a state means, in words for people."""

MEANS: Final[Mapping[Event, str]] = {
    Event.APPROVE: "the last approval that was needed",
    Event.REJECT: "an approver says no",
    Event.EXPIRE: "the time to decide is over",
    Event.CANCEL: "somebody no longer wants it, and it is not sent yet",
    Event.TAKE_BACK: "whoever decided thinks again, and no worker has ever claimed it",
    Event.CLAIM: "a worker takes it under a lease",
    Event.LEASE_LOST: "the lease ran out: the worker may have died before or after the call",
    Event.PROVE_NOT_EXECUTED: "every attempt so far is proven not executed (a 429, a key refused, never sent)",
    Event.PROVE_REJECTED: "Stripe refused it for good",
    Event.PROVE_IN_DOUBT: "a reply that proves nothing: a timeout, a 5xx, a broken answer",
    Event.PROVE_INCONSISTENT: "there is a refund, and it is not the one that was asked for",
    Event.PROVE_PENDING: "Stripe has the refund, pending",
    Event.PROVE_SUCCEEDED: "Stripe has the refund, succeeded",
    Event.PROVE_FAILED: "Stripe has the refund, failed or canceled before it succeeded",
    Event.PROVE_REVERSED: "Stripe has the refund, failed after it had succeeded",
    Event.PROVE_ABSENT: "proven that no refund exists and no call can still arrive",
    Event.RESOLVE_SUCCEEDED: "two operators say that it succeeded",
    Event.RESOLVE_FAILED: "two operators say that it failed",
}
"""What an event means, in words for people."""

_COLOURS: Final[Mapping[Capacity, str]] = {
    Capacity.NONE: "fill:#eeeeee,stroke:#666666,color:#000000",
    Capacity.HELD: "fill:#fff3c4,stroke:#b58900,color:#000000",
    Capacity.SETTLED: "fill:#d3f9d8,stroke:#2b8a3e,color:#000000",
    Capacity.RELEASED: "fill:#dbe9ff,stroke:#1c5fb0,color:#000000",
}
_AT_STRIPE: Final = frozenset({ProviderEffect.IN_DOUBT, ProviderEffect.PENDING})


def is_late(source: State, event: Event) -> bool:
    """Whether a move books truth that came late: proof about a request that is thought to be nowhere, or over."""
    proof = event.startswith("prove_")
    given_back = source is State.SUCCEEDED and MOVES[source, event] is State.REVERSED
    return proof and not given_back and EFFECT[source] not in _AT_STRIPE


def picture() -> str:
    """A Mermaid state diagram of every move but the late ones; the colour of a state is what it holds."""
    lines = ["stateDiagram-v2"]
    lines += [f"    [*] --> {state} : admit" for state in State if state in ENTRY_STATES]
    lines += [f"    {source} --> {target} : {', '.join(events)}" for source, target, events in _arrows()]
    for capacity, colour in _COLOURS.items():
        members = ",".join(state for state in State if CAPACITY[state] is capacity)
        lines += [f"    classDef {capacity} {colour}", f"    class {members} {capacity}"]
    return "\n".join(["```mermaid", *lines, "```"])


def _arrows() -> Iterable[tuple[State, State, list[Event]]]:
    """One arrow for each pair of states, with all its events but the late ones, in the order of the states."""
    arrows: dict[tuple[State, State], list[Event]] = {}
    for (source, event), target in MOVES.items():
        if not is_late(source, event):
            arrows.setdefault((source, target), []).append(event)
    order = {member: place for place, member in enumerate([*State, *Event])}
    for source, target in sorted(arrows, key=lambda ends: (order[ends[0]], order[ends[1]])):
        yield source, target, sorted(arrows[source, target], key=lambda event: order[event])


def states_table() -> str:
    """What each state means and holds."""
    rows = [
        (
            code(state),
            SAYS[state],
            CAPACITY[state],
            EFFECT[state],
            money_moved(state),
            task(state, cancel_requested=False),
        )
        for state in State
    ]
    return table(("state", "what it says", "capacity", "effect at Stripe", "money moved", "task"), rows)


def events_table() -> str:
    """What each event means, and every move it makes. The moves in brackets are truth that came late."""
    return table(
        ("event", "what happened", "moves"), [(code(event), MEANS[event], _moves(event)) for event in Event]
    )


def _moves(event: Event) -> str:
    """`dispatching, unknown → failed; (queued → failed)`."""
    groups: dict[tuple[bool, State], list[State]] = {}
    for source in State:
        if (target := MOVES.get((source, event))) is not None:
            groups.setdefault((is_late(source, event), target), []).append(source)
    shown = []
    for (late, target), sources in sorted(groups.items()):
        move = f"{', '.join(sources)} → {target}"
        shown.append(f"({move})" if late else move)
    return "; ".join(shown)
