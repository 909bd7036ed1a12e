"""The console's own files: each under an address that names its content, so that a browser may keep it for ever."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources

from flask import Response

from governor.domain.errors import NotFound

RULE = "/console/static/<digest>/<name>"
FILES: Mapping[str, str] = {
    "bootstrap.min.css": "vendor",
    "htmx.min.js": "vendor",
    "console.css": "",
    "trust.js": "",
    "console.js": "",
    "icon.svg": "",
}
"""Every file that is served, and the folder below `static/` where it lies."""

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_KEPT = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Asset:
    """A file as it is served."""

    name: str
    content: bytes

    @cached_property
    def address(self) -> str:
        """Where it is served from; another content has another address."""
        return f"/console/static/{hashlib.sha256(self.content).hexdigest()[:16]}/{self.name}"


def _read(name: str, folder: str) -> Asset:
    content = (resources.files("governor.console") / "static" / folder / name).read_bytes()
    return Asset(name, with_system_theme(content.decode()).encode() if name.endswith(".css") else content)


def with_system_theme(css: str) -> str:
    """The style sheet, with its rules for the dark theme once more for whoever's system is dark.

    Bootstrap knows an explicit theme only; without scripts nobody could make it explicit.
    """
    rules = re.findall(r"[^{}]*\[data-bs-theme=dark\][^{}]*\{[^{}]*\}", css)
    dark = "".join(rule.replace("[data-bs-theme=dark]", "[data-bs-theme=system]") for rule in rules)
    return f"{css}\n@media (prefers-color-scheme:dark){{{dark}}}\n" if dark else css


ASSETS: Mapping[str, Asset] = {name: _read(name, folder) for name, folder in FILES.items()}


def serve_asset(digest: str, name: str) -> Response:
    """One of the files.

    Raises:
        NotFound: there is no such file, or not with this content.
    """
    asset = ASSETS.get(name)
    if asset is None or asset.address != f"/console/static/{digest}/{name}":
        raise NotFound("not_found", "There is nothing here.")
    return Response(asset.content, headers={"Cache-Control": _KEPT}, mimetype=_TYPES[name.rpartition(".")[2]])
