"""The secrets that webhooks are signed with: several for each environment, so that one can take over from another."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from governor.domain.errors import Unavailable

Secrets = Mapping[str, Sequence[str]]
"""Environment → its secrets, each of which is believed."""

_MOST: Final = 16  # Stripe has no more endpoints for an account
_SECRET = re.compile(r"whsec_[A-Za-z0-9_+/=-]{1,200}")


def read_secrets(text: str) -> Secrets:
    """`{"environment": ["whsec_…", …], …}`.

    Raises:
        ValueError: anything else; nothing of the text is repeated.
    """
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict) or not all(map(_are_secrets, value.values())):
        raise ValueError('webhook secrets are {"environment": ["whsec_…", …], …}')
    return value


def read_secrets_file(path: Path) -> Secrets:
    """What a file says now; nothing when there is none (yet).

    Raises:
        ValueError: it cannot be read or used.
    """
    try:
        return read_secrets(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError("the file of webhook secrets cannot be read") from error


def _are_secrets(value: object) -> bool:
    return (
        isinstance(value, list)
        and 0 < len(value) <= _MOST
        and all(isinstance(one, str) and _SECRET.fullmatch(one) for one in value)
    )


@dataclass(frozen=True)
class WebhookSecrets:
    """What the settings say, and what a file says now: it is read on each use, so that secrets change without a stop."""

    fixed: Secrets = field(repr=False)
    path: Path | None

    def __call__(self, environment: str) -> tuple[str, ...]:
        """The secrets of an environment; none when it takes no webhooks.

        Raises:
            Unavailable: `event_not_recorded` when the file cannot be used.
        """
        try:
            in_file = read_secrets_file(self.path) if self.path is not None else {}
        except ValueError as error:
            raise Unavailable("event_not_recorded", "The file of webhook secrets cannot be used.") from error
        return (*self.fixed.get(environment, ()), *in_file.get(environment, ()))
