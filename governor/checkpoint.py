"""Named places in the life of a refund where a test kills, breaks or stops the process (RELIABILITY §3).

In production nobody watches, and passing a checkpoint is one look at a variable. A test sets `watch` in a process
of its own (tests/crashes), which holds for every name in the source that recovery from there is right.
"""

from __future__ import annotations

from collections.abc import Callable

watch: Callable[[str], None] | None = None
"""What a test wants to happen at each checkpoint; None in every process that is no test's."""


def checkpoint(name: str) -> None:
    """Pass the place `what.moment`: what the process does, and the moment just reached."""
    if watch is not None:
        watch(name)
