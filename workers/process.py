"""What all worker processes share: one application per process, and a stop that is heard at once."""

from __future__ import annotations

import signal
import threading
from functools import lru_cache, partial

import structlog

from governor.bootstrap import Application, build
from governor.domain.processes import ProcessKind
from governor.heart import Heart
from governor.settings import Settings

log = structlog.get_logger("governor")


@lru_cache(maxsize=1)
def application() -> Application:
    """This process's application; built once, in the parent of forked workers."""
    return build(Settings())


def stop_on_signals() -> threading.Event:
    """An event that SIGTERM and SIGINT set. Waiting on it ends at once, unlike a sleep."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def heart(kind: ProcessKind) -> Heart:
    """The beat of this process, for as long as it is at work. Not for one that forks: a fork and a thread do not mix."""
    return Heart(partial(application().oversight.alive, kind))
