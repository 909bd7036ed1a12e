"""Whoever carries messages out, what they carry, and the box that keeps what opens an endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from governor.domain.deliveries import Receipt
from governor.domain.endpoints import EndpointKind
from governor.domain.messages import Message
from governor.domain.wording import Words


@dataclass(frozen=True)
class Letter:
    """What is carried to an endpoint once: a message, for programs and in words, with what opens the endpoint."""

    message: Message
    words: Words
    target: str
    secrets: tuple[str, ...]


class Courier(Protocol):
    """Carries letters to one kind of endpoint."""

    def __call__(self, letter: Letter) -> Receipt:
        """Carry it, within seconds. Whatever goes wrong is in the receipt; nothing is raised."""
        ...


class Couriers(Protocol):
    """Who carries to which kind of endpoint."""

    def check(self, kind: EndpointKind) -> None:
        """Refuse a kind of endpoint that nothing can be carried to here.

        Raises:
            Conflict: `mail_not_configured`.
        """
        ...

    def carry(self, kind: EndpointKind, letter: Letter) -> Receipt:
        """Carry a letter to an endpoint of this kind."""
        ...


class Box(Protocol):
    """Seals what must be used again, so that the database alone does not show it."""

    def seal(self, words: str, place: str) -> bytes:
        """The words, sealed for this place: nowhere else does the seal hold."""
        ...

    def open(self, sealed: bytes, place: str) -> str:
        """The words that were sealed for this place.

        Raises:
            InvariantBroken: `seal_broken` when they were not, or with another key.
        """
        ...
