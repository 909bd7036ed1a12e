"""The bucket of tokens that keeps an environment under its provider's rate."""

from __future__ import annotations

from datetime import timedelta

_FLOW = 0.96
"""The share of the rate that flows in evenly; the rest is the bucket, in which a call can wait for its turn."""


def filled(tokens: float, rate_per_second: int, elapsed: timedelta) -> float:
    """The tokens in a bucket that held `tokens` that long ago.

    A full bucket and what flows into it in a second are less than one call more than the rate: so the rate is
    kept within every second, however it is laid, and not only on average.
    """
    flow = _FLOW * rate_per_second
    return min(rate_per_second - flow + _FLOW, tokens + flow * max(0.0, elapsed.total_seconds()))
