"""One call of one route, as its handler sees it: who calls, and what was sent, read strictly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pydantic import ValidationError

from governor.api.application import UseCases
from governor.api.gate import check_media, read_object
from governor.api.inputs import Input, refusal
from governor.api.route import Route
from governor.domain.errors import PreconditionFailed, PreconditionRequired
from governor.domain.identity import operation_key
from governor.domain.money import EXPONENTS
from governor.domain.seen import AsSeen, read_seen
from governor.http.query import Asked
from governor.http.request_line import wait_seconds
from governor.usecases.callers import Caller

Model = TypeVar("Model", bound=Input)


@dataclass(frozen=True)
class Call(Asked):
    """An authenticated call. Everything in it was sent by the caller and is checked when it is read."""

    use: UseCases
    caller: Caller
    route: Route

    @property
    def parameters(self) -> tuple[str, ...]:
        """The query parameters that the route knows."""
        return self.route.parameters

    @property
    def environment(self) -> str:
        """The caller's own."""
        return self.caller.environment

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
        seen = self.seen
        if seen.moment is not None:
            raise _no_tag()
        return seen.revision

    @property
    def seen(self) -> AsSeen:
        """The same of what time changes, too.

        Raises:
            PreconditionRequired, PreconditionFailed.
        """
        header = self.sent.headers.get("If-Match")
        if header is None:
            raise PreconditionRequired("precondition_required", "Send the ETag you read in If-Match.")
        if not (len(header) > 1 and header[0] == header[-1] == '"'):
            raise _no_tag()
        try:
            return read_seen(header[1:-1])
        except ValueError:
            raise _no_tag() from None


def _no_tag() -> PreconditionFailed:
    return PreconditionFailed("precondition_failed", "If-Match is one strong ETag as it was read.")


def currency_code(value: str) -> str:
    """A lower-case code that the provider refunds in.

    Raises:
        ValueError: it is none.
    """
    if value not in EXPONENTS:
        raise ValueError
    return value
