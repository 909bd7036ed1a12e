"""What was asked for in a query string, read strictly: a misspelt filter must not show everything."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from flask import Request

from governor.domain.errors import Invalid, Malformed
from governor.domain.windows import moment
from governor.http.cursors import Cursors, ListPlace

MAX_REPEATS = 20
"""How often a filter may be repeated in one query."""
DEFAULT_PAGE = 50
_LIMIT = re.compile(r"[1-9][0-9]?|100")


@dataclass(frozen=True)
class Asked(ABC):
    """A request with a query string, in one environment."""

    sent: Request
    cursors: Cursors

    @property
    @abstractmethod
    def parameters(self) -> tuple[str, ...]:
        """Every query parameter that is known here."""

    @property
    @abstractmethod
    def environment(self) -> str:
        """The environment that a list is of."""

    def check_query(self) -> None:
        """Refuse query parameters that are not known here.

        Raises:
            Malformed: `query_invalid`.
        """
        for name, values in self.sent.args.lists():
            if name not in self.parameters or len(values) > MAX_REPEATS:
                raise _query("This query parameter is not known here, or repeated too often.")

    def one(self, name: str, check: Callable[[str], str]) -> str | None:
        """The single value of a query parameter, or None.

        Raises:
            Malformed: `query_invalid` when it is repeated or `check` refuses it.
        """
        values = self.many(name, check)
        if len(values) > 1:
            raise _query(f"`{name}` may be sent once.")
        return values[0] if values else None

    def many(self, name: str, check: Callable[[str], str]) -> tuple[str, ...]:
        """All values of a query parameter, each through `check`.

        Raises:
            Malformed: `query_invalid` when `check` refuses one.
        """
        try:
            return tuple(check(value) for value in self.sent.args.getlist(name))
        except (ValueError, Invalid) as error:
            raise _query(f"`{name}` cannot have this value.") from error

    def moment(self, name: str) -> datetime | None:
        """A query parameter that is a date or an RFC 3339 time with its zone, in UTC; or None.

        Raises:
            Malformed: `query_invalid` when it is repeated or is neither.
        """
        said = self.one(name, lambda typed: moment(typed).isoformat())
        return None if said is None else datetime.fromisoformat(said)

    @property
    def page_size(self) -> int:
        """`?limit=`: 1 to 100."""
        return int(self.one("limit", matching(_LIMIT)) or DEFAULT_PAGE)

    @property
    def place(self) -> ListPlace:
        """What the cursors of this list are bound to."""
        chosen = [
            (name, value)
            for name, value in self.sent.args.items(multi=True)
            if name not in {"after", "limit"}
        ]
        return ListPlace(self.environment, self.sent.path, chosen)

    @property
    def after(self) -> str | None:
        """The id behind which the list goes on.

        Raises:
            Malformed: `cursor_invalid`.
        """
        cursor = self.one("after", str)
        return None if cursor is None else self.cursors.read(self.place, cursor)


def matching(pattern: re.Pattern[str]) -> Callable[[str], str]:
    """A check that lets through what matches the pattern whole."""

    def check(value: str) -> str:
        if not pattern.fullmatch(value):
            raise ValueError
        return value

    return check


def printable(value: str) -> str:
    """What a form asks about, without the blanks around it, as long as all of it can be seen."""
    if not value.isprintable():
        raise ValueError
    return value.strip()


def _query(detail: str) -> Malformed:
    return Malformed("query_invalid", detail)
