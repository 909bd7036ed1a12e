"""What the console asks of the application: the verbs that bootstrap wires together."""

from __future__ import annotations

from typing import Protocol

from governor.usecases.people import People
from governor.usecases.queries import Queries
from governor.usecases.record_refusal import RecordRefusal


class UseCases(Protocol):
    """The application, seen from here. `governor.bootstrap.Application` is one."""

    @property
    def people(self) -> People:
        """Let people in, keep their sessions and their accounts."""
        ...

    @property
    def queries(self) -> Queries:
        """Looking."""
        ...

    @property
    def record_refusal(self) -> RecordRefusal:
        """Audit that somebody tried what their role may not do."""
        ...
