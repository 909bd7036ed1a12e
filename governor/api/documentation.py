"""The API's own documentation, offline: the OpenAPI document and a page that shows it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from flask import Response

from governor.domain.errors import NotFound

_ASSETS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "start.js": "text/javascript",
}
"""Everything the page loads. The two vendored files are pinned by hashes in the page itself."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def _static(name: str) -> bytes:
    return (resources.files("governor.api") / "static" / name).read_bytes()


def documentation_page() -> Response:
    """The page, under a policy without inline scripts or foreign sources."""
    headers = {"Content-Security-Policy": PAGE_POLICY}
    return Response(_static("docs.html"), headers=headers, mimetype="text/html")


def documentation_asset(asset: str) -> Response:
    """One of the page's files.

    Raises:
        NotFound: the page has no such file.
    """
    if asset not in _ASSETS:
        raise NotFound("not_found", "There is nothing here.")
    return Response(_static(asset), mimetype=_ASSETS[asset])


def openapi_document(document: dict[str, Any]) -> Response:
    """The OpenAPI document."""
    return Response(json.dumps(document, ensure_ascii=False), mimetype="application/json")
