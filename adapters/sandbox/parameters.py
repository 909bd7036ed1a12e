"""Form parameters: from flat pairs to a tree, and the checks that run before the idempotency look-up.

What these checks refuse is never saved under a key (STRIPE.md §3).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from adapters.sandbox.errors import Refusal
from adapters.sandbox.shelf import Document

Check: TypeAlias = Callable[[str, Any], Any]
"""Takes a parameter's name and sent value, returns the value with its type, or raises a Refusal."""

_METADATA_KEYS = 50
_METADATA_KEY_CHARACTERS = 40
_METADATA_VALUE_CHARACTERS = 500


def tree(pairs: list[tuple[str, str]]) -> Document:
    """``[("a[b]", "c"), ("d[]", "e")]`` as ``{"a": {"b": "c"}, "d": ["e"]}``; ``d[0]`` is a list too.

    Raises:
        Refusal: when a name is used both as a value and as a hash.
    """
    root: Document = {}
    for name, value in pairs:
        last, *parts = [name.split("[", 1)[0], *re.findall(r"\[([^\[\]]*)\]", name)]
        place = root
        for part in parts:
            place = place.setdefault(last, {})
            if not isinstance(place, dict):
                raise Refusal(400, f"Invalid parameter: {name}", param=name.split("[", 1)[0])
            last = part or str(len(place))
        place[last] = value
    return {name: _lists(value) for name, value in root.items()}


def _lists(value: Any) -> Any:  # noqa: ANN401 - a tree of strings, hashes and lists
    if not isinstance(value, dict):
        return value
    below = {name: _lists(found) for name, found in value.items()}
    if below and all(name.isdigit() for name in below):
        return [below[name] for name in sorted(below, key=int)]
    return below


def checked(sent: Document, allowed: Mapping[str, Check]) -> Document:
    """The parameters with their types.

    Raises:
        Refusal: ``parameter_unknown`` for a name that is not allowed, or whatever a check refuses.
    """
    for name in sent:
        if name not in allowed:
            message = f"Received unknown parameter: {name}"
            raise Refusal(400, message, code="parameter_unknown", param=name)
    return {name: allowed[name](name, value) for name, value in sent.items()}


def text(name: str, value: Any) -> str:  # noqa: ANN401 - whatever was sent
    """A non-empty string."""
    if not isinstance(value, str):
        raise Refusal(400, "Invalid string", code="parameter_invalid_string", param=name)
    if not value:
        message = f"You passed an empty string for '{name}'. Leave it out, or send a value."
        raise Refusal(400, message, code="parameter_invalid_empty", param=name)
    return value


def whole_number(low: int, high: int | None = None) -> Check:
    """A check for integers from ``low`` to ``high``."""

    def check(name: str, value: Any) -> int:  # noqa: ANN401 - whatever was sent
        sent = text(name, value)
        if not re.fullmatch(r"-?[0-9]{1,18}", sent):
            raise Refusal(400, f"Invalid integer: {sent}", code="parameter_invalid_integer", param=name)
        if int(sent) < low:
            message = f"This value must be greater than or equal to {low}."
            raise Refusal(400, message, code="parameter_invalid_integer", param=name)
        if high is not None and int(sent) > high:
            message = f"This value must be less than or equal to {high} (it currently is '{sent}')."
            raise Refusal(400, message, code="parameter_invalid_integer", param=name)
        return int(sent)

    return check


def boolean(name: str, value: Any) -> bool:  # noqa: ANN401 - whatever was sent
    """``true`` or ``false``."""
    if value not in {"true", "false"}:
        raise Refusal(400, f"Invalid boolean: {value}", param=name)
    return bool(value == "true")


def one_of(*values: str) -> Check:
    """A check for one of a few words; Stripe gives no code for the refusal (STRIPE.md §2b, row 8)."""

    def check(name: str, value: Any) -> str:  # noqa: ANN401 - whatever was sent
        if value not in values:
            known = ", ".join(values[:-1]) + f", or {values[-1]}" if len(values) > 1 else values[0]
            raise Refusal(400, f"Invalid {name}: must be one of {known}", param=name)
        return str(value)

    return check


def text_list(name: str, value: Any) -> list[str]:  # noqa: ANN401 - whatever was sent
    """``name[]=a&name[]=b``."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Refusal(400, "Invalid array", param=name)
    return value


def hash_of_text(name: str, value: Any) -> dict[str, str]:  # noqa: ANN401 - whatever was sent
    """``name[a]=b``, with string values."""
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise Refusal(400, "Invalid hash", param=name)
    return value


def metadata(name: str, value: Any) -> dict[str, str]:  # noqa: ANN401 - whatever was sent
    """Up to 50 pairs, keys up to 40 characters, values up to 500; an empty string means "none"."""
    if value == "":
        return {}
    if isinstance(value, list):
        value = {str(place): item for place, item in enumerate(value)}
    pairs = hash_of_text(name, value)
    if len(pairs) > _METADATA_KEYS:
        raise Refusal(400, f"Metadata can have at most {_METADATA_KEYS} keys.", param=name)
    for key, item in pairs.items():
        if not key or len(key) > _METADATA_KEY_CHARACTERS or set(key) & {"[", "]"}:
            message = f"Metadata keys must have 1 to {_METADATA_KEY_CHARACTERS} characters, without brackets."
            raise Refusal(400, message, param=name)
        if len(item) > _METADATA_VALUE_CHARACTERS:
            message = f"Metadata values can have at most {_METADATA_VALUE_CHARACTERS} characters."
            raise Refusal(400, message, param=f"{name}[{key}]")
    return pairs


def merged_metadata(old: dict[str, str], sent: dict[str, str] | None) -> dict[str, str]:
    """Metadata after an update: an empty value unsets its key; no pair at all unsets every key."""
    if sent is None:
        return old
    return {key: value for key, value in {**old, **sent}.items() if value} if sent else {}
