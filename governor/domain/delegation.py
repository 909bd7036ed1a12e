"""Delegation: a credential makes narrower ones, which can do no more than it and die with it (invariant 13).

A child counts against every limit of all its ancestors, because its requests carry the whole chain. What it has
of its own can only be less: the same agent and the same person, no longer a life, never another role.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from governor.domain.credentials import Credential, Kind, Role
from governor.domain.errors import Conflict, Forbidden

DEEPEST = 8
"""Credentials from the root to the last child. The database follows chains further than that, so none is cut off."""

MOST_BELOW = 200
"""Living credentials below one parent: each may bring limits, which every decision reads."""

MOST_CAPS = 4


@dataclass(frozen=True)
class Child:
    """What is asked for a child; None leaves it to the parent. A wider wish is refused, not trimmed."""

    name: str
    role: Role | None
    kind: Kind | None
    owner: str | None
    agent: str | None
    expires_at: datetime | None


def refuse_wider(parent: Sequence[Credential], child: Child) -> None:
    """Refuse whatever the parent, first in its chain, does not have itself.

    Raises:
        Forbidden: `role_not_allowed` by any but an agent; `wider_than_parent`, naming the field that is.
        Conflict: `delegation_too_deep`.
    """
    source = parent[0]
    if source.role is not Role.AGENT:
        raise Forbidden("role_not_allowed", "Only agents delegate what they may do.")
    if len(parent) >= DEEPEST:
        raise Conflict("delegation_too_deep", f"A chain has {DEEPEST} credentials at most.")
    if child.role not in {None, Role.AGENT}:
        raise _wider("/role", "A child is an agent.")
    if child.kind is Kind.HUMAN and source.kind is Kind.PROGRAM:
        raise _wider("/kind", "A program's child is a program.")
    if child.owner not in {None, source.owner}:
        raise _wider("/owner", "The same person answers for a child.")
    if child.agent not in {None, source.agent}:
        raise _wider("/agent", "A child's refunds count as its parent's agent's.")
    ends = end_of(parent)
    if child.expires_at is not None and ends is not None and child.expires_at > ends:
        raise _wider("/expires_at", "A child lives no longer than its parent.")


def _wider(pointer: str, detail: str) -> Forbidden:
    return Forbidden("wider_than_parent", detail, {"pointer": pointer})


def end_of(chain: Sequence[Credential]) -> datetime | None:
    """When a chain ends by itself: with the first of its credentials to expire; None when none does."""
    return min((one.expires_at for one in chain if one.expires_at is not None), default=None)


def narrowed(parent: Sequence[Credential], child: Child, credential_id: str, now: datetime) -> Credential:
    """The child, born at `now` (UTC)."""
    source = parent[0]
    return Credential(
        id=credential_id,
        environment=source.environment,
        name=child.name,
        role=Role.AGENT,
        kind=child.kind or source.kind,
        owner=source.owner,
        agent=source.agent,
        parent=source.id,
        created_at=now,
        expires_at=child.expires_at or end_of(parent),
        revoked_at=None,
    )


def descends(chain: Sequence[Credential], ancestor: str) -> bool:
    """Whether the first credential of the chain is a child, or a child's child, of `ancestor`."""
    return any(one.id == ancestor for one in chain[1:])


def answers_for(caller: Credential, target: Credential) -> bool:
    """Whether somebody who signs in is the person who answers for a key.

    No key ever does: whoever stole one could revoke all the others of its person.
    """
    return caller.person is not None and target.person is None and target.owner == caller.owner


def may_rotate(caller: Credential, target: Sequence[Credential]) -> bool:
    """Whose secret one may replace, and so get to know: one's own, a descendant's; an operator also an agent's.

    Never an approver's or another operator's: whoever knew their secret could speak for them.
    """
    if caller.id == target[0].id or descends(target, caller.id):
        return True
    return caller.role is Role.OPERATOR and target[0].role is Role.AGENT


def living(tree: Iterable[Credential], now: datetime) -> frozenset[str]:
    """Those of a whole tree that may be used at `now`: alive, and so is everything above them."""
    found: set[str] = set()
    for depth, one in in_tree_order(tree):
        if one.live_at(now) and (depth == 0 or one.parent in found):
            found.add(one.id)
    return frozenset(found)


def in_tree_order(credentials: Iterable[Credential]) -> tuple[tuple[int, Credential], ...]:
    """Each with its depth, children right behind their parent; oldest first among brothers and sisters."""
    known = sorted(credentials, key=lambda one: one.id)
    ids = {one.id for one in known}
    below: defaultdict[str | None, list[Credential]] = defaultdict(list)
    for one in known:
        below[one.parent if one.parent in ids else None].append(one)
    ordered: list[tuple[int, Credential]] = []
    waiting = [(0, one) for one in reversed(below[None])]
    while waiting:
        depth, one = waiting.pop()
        ordered.append((depth, one))
        waiting += [(depth + 1, child) for child in reversed(below[one.id])]
    return tuple(ordered)
