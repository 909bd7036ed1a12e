"""What a Redis row may say: one of our job names, one well-formed id, and nothing more is believed.

RQ's JSON serializer alone still lets whoever can write Redis run code: the function's name and the callbacks'
names are imported (RELIABILITY §0, 3). Here both are refused before anything is looked up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rq.job import Job

from governor.ports.provider import EVENT_ID

DISPATCH = "workers.jobs.dispatch"
READ_INBOX = "workers.jobs.read_inbox"
JOBS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {DISPATCH: re.compile(r"rr_[0-9a-z]{26}"), READ_INBOX: EVENT_ID}
)
"""Each job with the one kind of id that it may carry."""


class JobRefused(ValueError):
    """A job that we did not write."""


def job_for(some_id: str) -> str:
    """The job that is rung for an id.

    Raises:
        JobRefused: no job carries such an id.
    """
    for job, ids in JOBS.items():
        if ids.fullmatch(some_id):
            return job
    raise JobRefused("no job carries this id")


class IdOnlySerializer:
    """JSON that only lets our own kind of job through."""

    @staticmethod
    def dumps(value: Any, *_: Any, **__: Any) -> bytes:  # noqa: ANN401  RQ hands in anything
        """Compact JSON."""
        return json.dumps(value, separators=(",", ":")).encode()

    @staticmethod
    def loads(data: bytes, *_: Any, **__: Any) -> Any:  # noqa: ANN401  RQ's job data: function, instance, args, kwargs
        """Read a value; a job's data only if it is one of ours.

        Raises:
            JobRefused: anything else.
        """
        value = json.loads(data)
        if isinstance(value, list) and len(value) == 4:
            function, instance, arguments, keywords = value
            if instance is not None or keywords or not _one_id_of(function, arguments):
                raise JobRefused("a job that is not ours")
        return value


def _one_id_of(function: Any, arguments: Any) -> bool:  # noqa: ANN401  whatever Redis held
    ids = JOBS.get(function) if isinstance(function, str) else None
    return (
        ids is not None
        and isinstance(arguments, list)
        and len(arguments) == 1
        and isinstance(arguments[0], str)
        and ids.fullmatch(arguments[0]) is not None
    )


class IdOnlyJob(Job):
    """A job without callbacks, whatever its hash says."""

    @property
    def success_callback(self) -> None:
        """Never any."""

    @property
    def failure_callback(self) -> None:
        """Never any."""

    @property
    def stopped_callback(self) -> None:
        """Never any."""
