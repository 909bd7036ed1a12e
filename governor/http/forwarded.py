"""Who is at the other end, when a reverse proxy stands between."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


@dataclass(frozen=True)
class Forwarded:
    """What is behind sees the address of whoever called the proxy: tries to sign in are counted by it.

    Only the proxies' own word counts, and only their last one: whatever stands before it in `X-Forwarded-For`, the
    caller may have written.
    """

    behind: WSGIApplication
    proxies: frozenset[str]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Pass the request on."""
        if environ.get("REMOTE_ADDR") in self.proxies:
            told = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
            if _is_address(told):
                environ["REMOTE_ADDR"] = told
        return self.behind(environ, start_response)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
