"""Calls to the provider: few at once, and for a short time each."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any, Final

import requests
from urllib3.exceptions import HTTPError

from governor.domain.errors import Unavailable

_SECONDS: Final = 5.0
_MOST_BYTES: Final = 1024 * 1024
_AT_ONCE: Final = 4
"""A provider that hangs takes so many of a web process's threads, and no more: the others freeze and approve."""


class Wire:
    """Calls of one process. Safe to share between threads."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(_AT_ONCE)

    def call(
        self,
        method: str,
        url: str,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """One call and its JSON object, of whatever status below 500. No redirects, no proxies, no cookies kept.

        Raises:
            Unavailable: `identity_provider_unavailable`.
        """
        if not self._free.acquire(blocking=False):
            raise unavailable("too many ask it now")
        try:
            status, said = _answer(method, url, form, headers)
        except (OSError, HTTPError, ValueError, RecursionError) as error:
            raise unavailable(type(error).__name__) from error
        finally:
            self._free.release()
        if status >= 500 or 300 <= status < 400 or not isinstance(said, dict):
            raise unavailable(f"it answers {status}")
        return said


def _answer(
    method: str, url: str, form: Mapping[str, str] | None, headers: Mapping[str, str] | None
) -> tuple[int, Any]:
    with requests.Session() as session:
        session.trust_env = False
        with session.request(
            method, url, data=form, headers=headers, timeout=_SECONDS, allow_redirects=False, stream=True
        ) as answer:
            return answer.status_code, json.loads(answer.raw.read(_MOST_BYTES + 1, decode_content=True))


def unavailable(why: str) -> Unavailable:
    """The error of a provider that does not do its part."""
    return Unavailable("identity_provider_unavailable", f"The identity provider cannot be asked: {why}.")
