"""What is refused by a request's target, host and headers alone, before any route looks at it (§4.4, §4.5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from werkzeug.datastructures import MIMEAccept
from werkzeug.sansio.utils import host_is_trusted

from governor.domain.errors import Malformed, NotFound

_PATH = re.compile(r"(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199})+|/")
"""Our paths need no escapes, no empty or dotted segments and no parameters; nothing is normalised."""


def check_target(environ: dict[str, Any]) -> None:
    """Look at the target as it came over the wire, before any server or framework decoded it.

    Raises:
        Malformed: `target_malformed` for a target that is no path.
        NotFound: `not_found` for a path that no route of ours can have.
    """
    raw = environ.get("RAW_URI") or environ.get("REQUEST_URI") or environ.get("PATH_INFO") or ""
    path = raw.partition("?")[0]
    if not path.startswith("/"):
        raise Malformed("target_malformed", "The request target is a path.")
    if not _PATH.fullmatch(path) or path != environ.get("PATH_INFO"):
        raise NotFound("not_found", "There is nothing here.")


def check_host(environ: dict[str, Any], trusted: Sequence[str]) -> None:
    """Only our own names are answered, so that no name of an attacker's choice reaches a link or a cache.

    Raises:
        Malformed: `host_not_trusted`, also when there is no Host at all.
    """
    if not host_is_trusted(environ.get("HTTP_HOST"), trusted):
        raise Malformed("host_not_trusted", "This host name is not served here.")


def check_accept(accepted: MIMEAccept, others: Sequence[str] = ()) -> None:
    """Refuse a caller that cannot read our answer before anything is decided, not after. `others`: beside JSON.

    Raises:
        Malformed: `not_acceptable`.
    """
    ours = ("application/json", "application/problem+json", *others)
    if accepted and not any(accepted.quality(one) for one in ours):
        raise Malformed("not_acceptable", f"Answers are {', '.join(ours)}.")


_WAIT = re.compile(r"wait=\"?([0-9]{1,9})\"?")
MAX_WAIT_SECONDS = 25
"""Longer than a refund takes, shorter than the servers and proxies in between wait."""


def wait_seconds(prefer: str | None) -> int:
    """The seconds of the first well-formed `Prefer: wait=N` (RFC 7240), at most 25; 0 when there is none."""
    preferences = [one.strip().lower() for one in (prefer or "")[:1000].split(",")]
    for preference in preferences:
        if match := _WAIT.fullmatch(preference.partition(";")[0].strip()):
            return min(int(match[1]), MAX_WAIT_SECONDS)
    return 0


_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


def trace_id(traceparent: str | None) -> str | None:
    """The trace id of a well-formed `traceparent` (W3C Trace Context); anything else is ignored."""
    match = _TRACEPARENT.fullmatch(traceparent or "")
    return match[1] if match and set(match[1]) != {"0"} else None
