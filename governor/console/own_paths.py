"""Where to go on after signing in: only to addresses of our own (RELIABILITY §4.10, 184)."""

from __future__ import annotations

import re

HOME = "/console"
"""Where everybody begins."""

_OWN = re.compile(
    r"/console(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}){0,12}(?:\?[A-Za-z0-9._~%!$'()*+,:@/?=&-]{0,2000})?"
)


def own_path(wanted: str | None) -> str:
    """The wanted address when it is a page of the console, else its beginning."""
    return wanted if wanted and _OWN.fullmatch(wanted) else HOME
