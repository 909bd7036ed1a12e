"""Everything governor can answer instead of a decision, each with its stable code.

    GovernorError
    ├── Refused           the caller must change something; nothing was recorded
    │   ├── Malformed         the request cannot be read
    │   ├── Unauthenticated   we do not know who asks
    │   ├── TooManyTries      we do not even look whether it is right
    │   ├── Forbidden         we know, and they may not
    │   ├── NotFound          it does not exist, or not for this caller
    │   ├── Conflict          it contradicts what already stands
    │   ├── Invalid           a field's value cannot be used
    │   ├── PreconditionFailed / PreconditionRequired
    ├── Unavailable       nothing was decided; the same key may be used again
    │   └── Unconfirmed       it may have been recorded: whoever can look, looks
    └── InvariantBroken   a promise of DESIGN §3 does not hold: halt, never guess

A *denial* is not an error: it is a recorded decision (governor.domain.admission).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FieldError:
    """One input field that cannot be used: JSON pointer, code, and a sentence for people."""

    pointer: str
    code: str
    detail: str


@dataclass
class GovernorError(Exception):
    """An answer that is no decision. `code` is the contract, `detail` is for people."""

    code: str
    detail: str
    extra: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The code and the sentence, never a secret: details carry none by rule (DESIGN §3.18)."""
        return f"{self.code}: {self.detail}"


class Refused(GovernorError):
    """The caller must change something before asking again; nothing was recorded."""


class Malformed(Refused):
    """The request cannot be read at all."""


class Unauthenticated(Refused):
    """The caller is not known."""


@dataclass
class TooManyTries(Refused):
    """Too often wrong: another try is looked at after `retry_after_seconds`."""

    retry_after_seconds: int = 1


class Forbidden(Refused):
    """The caller is known and may not do this."""


class NotFound(Refused):
    """The object does not exist, or the caller may not know that it does."""


class Conflict(Refused):
    """The request contradicts what already stands."""


class PreconditionFailed(Refused):
    """The object changed since the caller last read it (RFC 9110 §13)."""


class PreconditionRequired(Refused):
    """A change must name the revision it is based on (RFC 6585 §3)."""


@dataclass
class Invalid(Refused):
    """One or more fields cannot be used."""

    errors: tuple[FieldError, ...] = ()


@dataclass
class Unavailable(GovernorError):
    """Nothing was decided; the same operation key may be used again after `retry_after_seconds`."""

    retry_after_seconds: int = 1


class Unconfirmed(Unavailable):
    """The connection was lost at the commit: whether it was recorded can be looked up, and is not known before."""


class InvariantBroken(GovernorError):
    """A promise does not hold. The facts are recorded and provider writes of the environment halt."""


def require(condition: bool, code: str, detail: str = "") -> None:
    """Assert a promise in production; `assert` would vanish under `python -O`.

    Raises:
        InvariantBroken: with `code` when `condition` is false.
    """
    if not condition:
        raise InvariantBroken(code, detail or code)


def invalid(pointer: str, code: str, detail: str) -> Invalid:
    """A validation error about one field."""
    return Invalid("validation_failed", detail, errors=(FieldError(pointer, code, detail),))
