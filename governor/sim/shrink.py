"""Making the way to a violation short: steps are left out for as long as the same promise is still broken."""

from __future__ import annotations

from governor.sim.run import Life, live


def shrunk(found: Life, steps: int) -> Life:
    """The shortest way that was found; every remaining step draws what it drew in the whole seed.

    First in large pieces, then in smaller ones, then step by step, until nothing more can be left out.
    """
    if found.violation is None:
        return found
    promise, best = found.violation.promise, found
    without: frozenset[int] = frozenset()
    size = max(1, steps // 2)
    while size:
        kept = [number for number in range(steps) if number not in without]
        smaller = False
        for start in range(0, len(kept), size):
            tried = without | frozenset(kept[start : start + size])
            life = live(found.seed, steps, without=tried)
            if life.violation is not None and life.violation.promise == promise:
                without, best, smaller = tried, life, True
        if not smaller or size > 1:
            size //= 2
    return best
