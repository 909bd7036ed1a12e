"""Stripe's lists: newest first, filtered by creation time, in pages."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from adapters.sandbox import documents, errors
from adapters.sandbox.errors import Refusal
from adapters.sandbox.parameters import Check, text, text_list, whole_number
from adapters.sandbox.shelf import Document

_DEFAULT_LIMIT = 10


def _created(name: str, value: Any) -> Document:  # noqa: ANN401 - whatever was sent
    """``created=N`` or ``created[gte]=N``, in seconds since the epoch."""
    bounds = value if isinstance(value, dict) else {"gte": value, "lte": value}
    if not bounds or not set(bounds) <= {"gt", "gte", "lt", "lte"}:
        raise Refusal(400, "Invalid created filter: use gt, gte, lt or lte", param=name)
    number = whole_number(0)
    return {bound: number(f"{name}[{bound}]", sent) for bound, sent in bounds.items()}


PAGE: dict[str, Check] = {
    "limit": whole_number(1, 100),
    "starting_after": text,
    "ending_before": text,
    "created": _created,
    "expand": text_list,
}
"""The parameters of every list (STRIPE.md §7)."""


def page(newest_first: Iterable[Document], sent: Document, url: str) -> Document:
    """One page of a list.

    Raises:
        Refusal: ``resource_missing`` when a cursor is not in the list, 400 for two cursors.
    """
    limit = sent.get("limit", _DEFAULT_LIMIT)
    after, before = sent.get("starting_after"), sent.get("ending_before")
    if after and before:
        message = "You cannot parameterize both starting_after and ending_before."
        raise Refusal(400, message, code="parameters_exclusive", param="starting_after")
    rows = newest_first
    if after:
        rows = _older_than(rows, after)
    elif before:
        rows = reversed(list(_newer_than(rows, before)))
    found = list(islice(_within(rows, sent.get("created", {})), limit + 1))
    shown = found[:limit][::-1] if before else found[:limit]
    return documents.page(shown, has_more=len(found) > limit, url=url)


def _within(rows: Iterable[Document], bounds: Document) -> Iterator[Document]:
    for row in rows:
        created = row["created"]
        if (
            created > bounds.get("gt", -1)
            and created >= bounds.get("gte", 0)
            and created < bounds.get("lt", created + 1)
            and created <= bounds.get("lte", created)
        ):
            yield row


def _older_than(rows: Iterable[Document], cursor: str) -> Iterator[Document]:
    iterator = iter(rows)
    for row in iterator:
        if row["id"] == cursor:
            return iterator
    raise errors.missing("object", cursor, param="starting_after", status=400)


def _newer_than(rows: Iterable[Document], cursor: str) -> Iterator[Document]:
    for row in rows:
        if row["id"] == cursor:
            return
        yield row
    raise errors.missing("object", cursor, param="ending_before", status=400)
