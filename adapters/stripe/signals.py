"""What can be read off a call that did not end in a refund. Codes and classes only, never message text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import stripe
from urllib3.exceptions import (
    ConnectTimeoutError,
    IncompleteRead,
    NewConnectionError,
    ReadTimeoutError,
    SSLError,
)

from adapters.stripe.client import ReplyEncodedError, ReplyTooLargeError
from adapters.stripe.wire import DeadlinePassedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adapters.stripe.wire import Call

_REQUEST_ID = re.compile(r"req_[A-Za-z0-9_]{1,100}")
_SECONDS = re.compile(r"[0-9]{1,4}")

_BEFORE_SENDING = (NewConnectionError, ConnectTimeoutError, SSLError, DeadlinePassedError)
"""What a call can end with before its first byte (NewConnectionError includes an unknown name)."""

_BROKEN: tuple[tuple[type[BaseException], str], ...] = (
    (ReadTimeoutError, "read_timeout"),
    (DeadlinePassedError, "read_timeout"),
    (IncompleteRead, "reply_truncated"),
    (ReplyTooLargeError, "reply_too_large"),
    (ReplyEncodedError, "reply_encoded"),
)


@dataclass(frozen=True)
class Signals:
    """The marks of one failed call. `surface` is the class of what the SDK raised."""

    surface: type[BaseException]
    status: int | None = None
    type: str | None = None
    code: str | None = None
    param: str | None = None
    request_id: str | None = None
    replayed: bool = False
    rate_limited: bool = False
    retry_after_seconds: int | None = None
    not_sent: bool = False
    broken: str = "connection_lost"

    @property
    def proven(self) -> bool:
        """Rule 1 below the table of STRIPE.md §2b: the refusal is Stripe's own, and not a proxy's."""
        return self.type == "invalid_request_error" and self.request_id is not None

    @property
    def answer(self) -> str:
        """A word for what came back, when nothing better is known."""
        return f"http_{self.status}" if self.status else "call_failed"


def read_signals(call: Call, failure: Exception) -> Signals:
    """Everything that classification may rest on."""
    error = _error_object(failure)
    causes = list(_causes(failure))
    return Signals(
        surface=type(failure),
        status=call.status,
        type=_word(error, "type"),
        code=_word(error, "code"),
        param=_word(error, "param"),
        request_id=request_id(call),
        replayed=is_replayed(call),
        rate_limited="Stripe-Rate-Limited-Reason" in call.headers,
        retry_after_seconds=_retry_after(call),
        not_sent=not call.sent and any(isinstance(cause, _BEFORE_SENDING) for cause in causes),
        broken=_broken(causes),
    )


def _broken(causes: list[BaseException]) -> str:
    """In which way a call ended without a whole reply."""
    words = (word for kind, word in _BROKEN if any(isinstance(cause, kind) for cause in causes))
    return next(words, "connection_lost")


def is_replayed(call: Call) -> bool:
    """Whether the reply says that it is the kept answer of an earlier request with this key."""
    return call.headers.get("Idempotent-Replayed") == "true"


def request_id(call: Call) -> str | None:
    """Stripe's id of the request, if it looks like one."""
    value = call.headers.get("Request-Id") or ""
    return value if _REQUEST_ID.fullmatch(value) else None


def _error_object(failure: Exception) -> Mapping[str, object]:
    """`error` of the JSON body. The SDK puts headers into `json_body` at times: those are no dict."""
    body = failure.json_body if isinstance(failure, stripe.StripeError) else None
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, Mapping) else {}


def _word(error: Mapping[str, object], name: str) -> str | None:
    value = error.get(name)
    return value if isinstance(value, str) else None


def _retry_after(call: Call) -> int | None:
    """Stripe documents no such header (STRIPE.md §6), but what stands between us and it may send one."""
    value = call.headers.get("Retry-After") or ""
    return int(value) if _SECONDS.fullmatch(value) else None


def _causes(failure: BaseException) -> Iterator[BaseException]:
    """The exception and all it came from. A chain of exceptions has no circle: Python breaks them."""
    cause: BaseException | None = failure
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
