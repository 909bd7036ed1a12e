"""One call of one route, as its handler sees it: who calls, and what was sent, read strictly."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from flask import Request
from pydantic import ValidationError

from governor.api.application import UseCases
from governor.api.cursors import Cursors, ListPlace
from governor.api.gate import check_media, read_object
from governor.api.inputs import Input, refusal
from governor.api.request_line import wait_seconds
from governor.api.route import Route
from governor.domain.errors import Invalid, Malformed, PreconditionFailed, PreconditionRequired
from governor.domain.identity import operation_key
from governor.domain.money import EXPONENTS
from governor.usecases.callers import Caller

Model = TypeVar("Model", bound=Input)

MAX_REPEATS = 20
"""How often a filter may be repeated in one query."""
DEFAULT_PAGE = 50
_LIMIT = re.compile(r"[1-9][0-9]?|100")
_ETAG = re.compile(r'"([0-9]{1,18})"')


@dataclass(frozen=True)
class Call:
    """An authenticated call. Everything in it was sent by the caller and is checked when it is read."""

    use: UseCases
    caller: Caller
    route: Route
    sent: Request
    cursors: Cursors

    @cached_property
    def key(self) -> str:
        """The operation key.

        Raises:
            Malformed: it is missing or cannot be used.
        """
        return operation_key(self.sent.headers.get("Idempotency-Key"))

    def body(self, model: type[Model]) -> Model:
        """The body as its model.

        Raises:
            Malformed: it is no unambiguous JSON object. Invalid: a field cannot be used.
        """
        nothing_sent = not self.sent.content_type and not self.sent.content_length
        if self.route.body_optional and nothing_sent and not self.sent.headers.get("Transfer-Encoding"):
            return self.fitting(model, {})
        check_media(self.sent.content_type, self.sent.headers.get("Content-Encoding"))
        return self.fitting(model, read_object(self.sent.get_data(cache=False)))

    @staticmethod
    def fitting(model: type[Model], value: dict[str, Any]) -> Model:
        """A JSON object as a model.

        Raises:
            Invalid: `validation_failed` with everything that is wrong.
        """
        try:
            return model.model_validate(value)
        except ValidationError as error:
            raise refusal(error) from None

    @property
    def wait_seconds(self) -> int:
        """How long the caller would like to wait for a final state: 0 to 25."""
        return wait_seconds(self.sent.headers.get("Prefer"))

    @property
    def revision(self) -> int:
        """The revision that `If-Match` names by its strong ETag.

        Raises:
            PreconditionRequired: there is none. PreconditionFailed: it is `*`, weak, or no ETag of ours.
        """
        header = self.sent.headers.get("If-Match")
        if header is None:
            raise PreconditionRequired("precondition_required", "Send the ETag you read in If-Match.")
        match = _ETAG.fullmatch(header)
        if match is None:
            raise PreconditionFailed("precondition_failed", "If-Match is one strong ETag as it was read.")
        return int(match[1])

    def check_query(self) -> None:
        """Refuse query parameters that the route does not know: a misspelt filter must not show everything.

        Raises:
            Malformed: `query_invalid`.
        """
        for name, values in self.sent.args.lists():
            if name not in self.route.parameters or len(values) > MAX_REPEATS:
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
        return ListPlace(self.caller.environment, self.sent.path, chosen)

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


def currency_code(value: str) -> str:
    """A lower-case code that the provider refunds in.

    Raises:
        ValueError: it is none.
    """
    if value not in EXPONENTS:
        raise ValueError
    return value


def _query(detail: str) -> Malformed:
    return Malformed("query_invalid", detail)
