"""The one entry of the web process: people's addresses lead to the console, all others to the programs' surface."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


@dataclass(frozen=True)
class Front:
    """Two surfaces with nothing in common: each has its own routes, errors and 404s."""

    api: WSGIApplication
    console: WSGIApplication

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve by the decoded path; a spelling that only decodes to one of ours is refused behind this."""
        path = environ.get("PATH_INFO", "")
        of_people = path in {"/", "/console"} or path.startswith("/console/")
        return (self.console if of_people else self.api)(environ, start_response)
