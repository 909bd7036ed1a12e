"""A shelf: the documents of one kind, in the order in which they came."""

from collections.abc import Iterator
from typing import Any, TypeAlias

Document: TypeAlias = dict[str, Any]
"""A JSON object as Stripe serves it. Treated as immutable: a change puts a new document in its place."""

Change: TypeAlias = tuple[str, str, Document | None]
"""``(kind, id, document)``; no document means it was taken away."""


class Journal:
    """The changes that the state file has not seen yet."""

    def __init__(self) -> None:
        self._changes: list[Change] = []

    def note(self, change: Change) -> None:
        """Remembers one change."""
        self._changes.append(change)

    def take(self) -> list[Change]:
        """Hands over all changes and forgets them."""
        changes, self._changes = self._changes, []
        return changes


class Shelf:
    """Documents by id, oldest first. Every change goes to the journal."""

    def __init__(self, kind: str, journal: Journal) -> None:
        self._kind = kind
        self._journal = journal
        self._documents: dict[str, Document] = {}

    def __getitem__(self, identifier: str) -> Document:
        return self._documents[identifier]

    def __contains__(self, identifier: str) -> bool:
        return identifier in self._documents

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents)

    def get(self, identifier: str) -> Document | None:
        """The document, or None."""
        return self._documents.get(identifier)

    def put(self, identifier: str, document: Document) -> Document:
        """Adds the document, or replaces the one of that id in its place; returns it."""
        self._documents[identifier] = document
        self._journal.note((self._kind, identifier, document))
        return document

    def change(self, identifier: str, fields: Document) -> Document:
        """Replaces the document by a copy with other ``fields``; returns the copy."""
        return self.put(identifier, {**self._documents[identifier], **fields})

    def remove(self, identifier: str) -> None:
        """Takes the document away."""
        del self._documents[identifier]
        self._journal.note((self._kind, identifier, None))

    def restore(self, identifier: str, document: Document) -> None:
        """Puts back what the state file already knows."""
        self._documents[identifier] = document

    def items(self) -> Iterator[tuple[str, Document]]:
        """Ids and documents in the order in which they came."""
        return iter(self._documents.items())

    def oldest_first(self) -> Iterator[Document]:
        """All documents in the order in which they came."""
        return iter(self._documents.values())

    def newest_first(self) -> Iterator[Document]:
        """All documents, the last one first, as Stripe lists them."""
        return reversed(self._documents.values())
