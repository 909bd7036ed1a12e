"""Limits that come later than a request: what waits to be sent must fit under them, too (invariant 2).

A new limit counts what is there already (invariant 12), and observe mode admits what does not fit: both make holds
of which nobody has proven that they fit. Such a hold is real, so that nobody else gets its room, but its request is
not sent before the proof. A cap that is lowered asks for no proof: what was admitted under it stays admitted.

The proof is asked for when the request is claimed. Whatever else is unproven does not stand in its way, so the
oldest that fits goes first; one that is too large for the room there is does not stop a smaller one behind it. It
cannot starve: a full limit admits nobody new, so those before it only become fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum

from governor.domain.limits import Charge, CounterKey, Measure, Usage

NEEDS_CAPACITY = "needs_capacity"
"""Why a queued request is not sent: a limit that came later has no room for it yet."""

ANY_AMOUNT_LIMIT = "*"
"""Stands among the unproven limits of a request that no amount limit applied to, which only observe mode admits."""

POLICY = "policy"
"""Stands there for a request that a rule denies, or that people should have been asked about: only observe mode admits
it, and no room ever proves it."""

POLICY_ENFORCED = "policy_enforced"
"""Why such a request is canceled once rules and approvals are enforced: it has to be asked for anew."""

LOOK_AGAIN = timedelta(seconds=60)
"""How soon the room is looked at again when nobody has made any: a settled window ends, a refund fails."""


class LateLimits(StrEnum):
    """What becomes of a request that a later limit has no room for: it waits, held, or is refused and released."""

    HOLD = "hold"
    REFUSE = "refuse"


def any_amount(charges: Iterable[Charge]) -> bool:
    """Whether an amount limit is among them (a tally is none, nor is a child's own cap): without one nothing is permitted (`no_limit`)."""
    permitting = (one for one in charges if not one.limit.tally and not one.narrows)
    return any(one.limit.measure is Measure.AMOUNT for one in permitting)


def without_room(
    unproven: Sequence[str],
    charges: Sequence[Charge],
    usage: Mapping[CounterKey, Usage],
    waiting: Mapping[CounterKey, int],
) -> tuple[str, ...]:
    """Those of a request's unproven limits that have no room for it now.

    `charges` is everything that it charges now: a limit that is archived by now asks for no proof. `waiting` is what
    the unproven hold of each counter's window, this request among them.
    """
    full = {one.limit.id for one in charges if one.amount > _room(one, usage, waiting)}
    if not any_amount(charges):
        full.add(ANY_AMOUNT_LIMIT)
    return tuple(one for one in unproven if one in full)


def _room(charge: Charge, usage: Mapping[CounterKey, Usage], waiting: Mapping[CounterKey, int]) -> int:
    if not charge.counted:
        return charge.limit.cap
    return charge.limit.cap - usage[charge.key].exposure + waiting.get(charge.key, 0)


def over(charge: Charge, usage: Mapping[CounterKey, Usage]) -> bool:
    """Whether more is taken than the limit's cap, so that it asks a proof of everything that waits on this counter."""
    taken = usage[charge.key].exposure if charge.counted else charge.amount
    return taken > charge.limit.cap
