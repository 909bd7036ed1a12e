"""Stripe's lists, read to their end or not at all: half a list proves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.stripe.fields import UnreadableError, page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PAGE = 100
"""The most that Stripe lists at once."""


def to_the_end(list_page: Callable[[Any], Any], filters: Mapping[str, object]) -> list[object]:
    """Every object of a list, page by page.

    Raises:
        UnreadableError: a page is no list, or the list does not move on.
    """
    found: list[object] = []
    seen: set[str] = set()
    while True:
        after = {"starting_after": _id(found[-1])} if found else {}
        data, more = page(list_page({**filters, "limit": _PAGE, **after}).to_dict())
        if more and not data:
            raise UnreadableError("no page of a list")
        ids = {_id(item) for item in data}
        if len(ids) < len(data) or ids & seen:
            raise UnreadableError("the list repeats itself")
        seen |= ids
        found += data
        if not more:
            return found


def _id(item: object) -> str:
    value = item.get("id") if isinstance(item, dict) else None
    if not isinstance(value, str) or not value:
        raise UnreadableError("an item without id")
    return value
