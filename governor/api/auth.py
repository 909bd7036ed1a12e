"""Authentication: one bearer key in one header. Cookies, query strings and other schemes mean nothing here."""

from __future__ import annotations

import re

from governor.domain.errors import Unauthenticated

_BEARER = re.compile(r"bearer (\S{1,200})", re.IGNORECASE | re.ASCII)


def bearer_key(authorization: str | None) -> str:
    """The key out of an `Authorization` header (RFC 6750; the scheme's case does not matter).

    Two headers arrive here joined by a comma, which no key contains.

    Raises:
        Unauthenticated: `credential_missing`, or `credential_invalid` for anything but one bearer key.
    """
    if authorization is None:
        raise Unauthenticated("credential_missing", "Send your key as `Authorization: Bearer gvk_…`.")
    match = _BEARER.fullmatch(authorization)
    if match is None:
        raise Unauthenticated("credential_invalid", "The key is not valid.")
    return match[1]


def challenge(code: str) -> str:
    """The `WWW-Authenticate` header of a 401 (RFC 6750 §3)."""
    error = "" if code == "credential_missing" else ', error="invalid_token"'
    return f'Bearer realm="governor"{error}'
