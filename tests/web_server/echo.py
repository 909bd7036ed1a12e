"""The smallest application that reads its whole request."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Answers with the body it was sent."""
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Length", str(len(body))), ("Content-Type", "text/plain")])
    return [body]
