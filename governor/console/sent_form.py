"""The one gate for what browsers send: bytes become named texts, or a refusal (RELIABILITY §4.10)."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from flask import Request

from governor.console.fields import malformed
from governor.domain.errors import Forbidden, Malformed

_MEDIA_TYPE = re.compile(
    r'application/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?', re.IGNORECASE
)
MAX_FIELDS = 200
"""The largest form has a few dozen."""


def sent_fields(request: Request) -> dict[str, tuple[str, ...]]:
    """The fields of a form by name, in the order in which they were sent; line ends as one character.

    Raises:
        Malformed: `unsupported_media_type`, or `form_malformed` for bytes that are no such form.
    """
    if not _MEDIA_TYPE.fullmatch(request.content_type or ""):
        raise Malformed("unsupported_media_type", "The console takes forms of its own pages only.")
    try:
        pairs = parse_qsl(
            request.get_data().decode("ascii"),
            keep_blank_values=True,
            strict_parsing=False,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError as error:
        raise malformed() from error
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        if "\0" in name or "\0" in value:
            raise malformed()
        fields[name] = (*fields.get(name, ()), value.replace("\r\n", "\n").replace("\r", "\n"))
    return fields


def check_same_origin(request: Request) -> None:
    """Let through what our own pages sent, and nothing else: no other site may act for who is signed in (§5.2 T24).

    Browsers say where a request comes from in two headers, and scripts cannot set either. Each that is there must
    name us, and one of them must be there.

    Raises:
        Forbidden: `foreign_form`.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    own = {f"https://{request.host}", f"http://{request.host}"}
    if (site or origin) and site in {None, "same-origin"} and (origin is None or origin in own):
        return
    raise Forbidden("foreign_form", "This was not sent from a page of the console.")
