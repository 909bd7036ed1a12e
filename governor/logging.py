"""How every process of governor logs: one line an event on standard error, and never a secret in it (invariant 18).

`key=value` for people, JSON with GOVERNOR_LOG=json for programs. Called once at the start of a process.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from typing import Any, TextIO, cast

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from governor.domain.redaction import masked


class _StandardError:
    """Standard error as it is at each write: who replaces it (a test, a daemon) is followed."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def configure() -> None:
    """Send the events of governor (from INFO) and of the libraries below it (from WARNING) to standard error."""
    stream = cast("TextIO", _StandardError())
    as_json = os.environ.get("GOVERNOR_LOG") == "json"
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        name_exception,
    ]
    rendered: Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"])
    )
    structlog.configure(
        processors=[*shared, mask, rendered],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, mask, rendered],
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)


def what_broke(error: BaseException) -> dict[str, Any]:
    """What is told of an exception: its type and where it came from, never its text, which may hold anything."""
    where = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-8:]]
    return {"error": type(error).__name__, "where": where}


def name_exception(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """The event with what is told of its exception, if a library gave it one."""
    given = event.pop("exc_info", None)
    if isinstance(given, tuple):
        given = given[1]
    elif given and not isinstance(given, BaseException):
        given = sys.exc_info()[1]
    return {**event, **what_broke(given)} if given else event


def mask(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """The event with everything that looks like a secret replaced, however deep it is."""
    return {name: masked(value) for name, value in event.items()}
