"""The one gate for JSON bodies: bytes become one unambiguous object, or a refusal (RELIABILITY §4.1).

Frameworks let the last of two equal keys win, read NaN, and hand lone surrogates to the database driver
(RELIABILITY §0, 8). Whatever two readers could understand differently is refused here, before anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from governor.domain.errors import Malformed, invalid
from governor.http.every_request import MAX_BODY_BYTES

MAX_NESTING: Final = 20
MAX_MEMBERS: Final = 100
"""The largest model has a dozen members; thousands of them only cost time."""
MAX_DIGITS: Final = 40
"""Twice the digits of the largest integer a database column takes: beyond it a number is no mistake."""

_MEDIA_TYPE = re.compile(r'application/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?', re.IGNORECASE)
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""Strings and brackets. Possessive, and content with a missing end quote: linear on any input."""


def check_media(content_type: str | None, content_encoding: str | None) -> None:
    """Accept plain `application/json` in UTF-8 only.

    Raises:
        Malformed: `unsupported_media_type` for any other type, charset or coding.
    """
    if not _MEDIA_TYPE.fullmatch(content_type or "") or (content_encoding or "identity") != "identity":
        raise Malformed("unsupported_media_type", "Send application/json in UTF-8, not compressed.")


def read_object(raw: bytes) -> dict[str, Any]:
    """The one JSON object that `raw` means (RFC 8259), its numbers as int or float, nothing guessed.

    Raises:
        Malformed: `body_too_large`; `malformed_json` for anything that is no object, or that two readers
            could take for different things.
        Invalid: a string with U+0000, which the database cannot keep.
    """
    if len(raw) > MAX_BODY_BYTES:
        raise Malformed("body_too_large", f"A body has at most {MAX_BODY_BYTES} bytes.")
    try:
        text = raw.decode("utf-8")
        _refuse_deep_nesting(text)
        value = json.loads(
            text, object_pairs_hook=_members, parse_int=_integer, parse_constant=_refuse_constant
        )
    except ValueError as error:
        raise _malformed("The body is not one JSON object in UTF-8.") from error
    if not isinstance(value, dict):
        raise _malformed("The body is JSON, but not an object.")
    for pointer, string in _strings(value, ""):
        _check_string(pointer, string)
    return value


def _malformed(detail: str) -> Malformed:
    return Malformed("malformed_json", detail)


def _refuse_deep_nesting(text: str) -> None:
    """Look at brackets outside strings; done before parsing, whose recursion is limited by the stack."""
    depth = 0
    for token in _BRACKETS.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > MAX_NESTING:
                raise _malformed(f"The body is nested deeper than {MAX_NESTING} levels.")
        elif first in "]}":
            depth -= 1


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of one object; keys are compared after their escapes are resolved."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _malformed("An object has the same key twice.")
    if len(pairs) > MAX_MEMBERS:
        raise _malformed(f"An object has more than {MAX_MEMBERS} members.")
    return members


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _malformed(f"A number has more than {MAX_DIGITS} digits.")
    return int(digits)


def _refuse_constant(_name: str) -> NoReturn:
    raise _malformed("NaN and Infinity are no JSON.")


def _strings(value: object, pointer: str) -> Iterator[tuple[str, str]]:
    """Every string in a value, keys included, with the JSON pointer of the place it is in."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield pointer, key
            yield from _strings(member, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from _strings(element, f"{pointer}/{index}")


def _check_string(pointer: str, string: str) -> None:
    if not string.isascii() and any("\ud800" <= character <= "\udfff" for character in string):
        raise _malformed("A string has half of a surrogate pair.")
    if "\x00" in string:
        where = pointer if _PLAIN_POINTER.fullmatch(pointer) else ""
        raise invalid(where, "nul_character", "A text cannot have the character U+0000.")


_PLAIN_POINTER = re.compile(r"(?:/[a-z_]{1,40}|/[0-9]{1,4})*")
"""Pointers are shown only where they are our own field names: a pasted secret is no field name."""
