"""What approvers tell one another of holds: kept beside them, and none of it part of what is decided."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from governor.domain.attention import Attention, Escalation, Looker
from governor.ports.store import Transaction


class AttentionTransaction(Transaction, Protocol):
    """A writing transaction of one environment in which somebody calls for attention to a hold."""

    def escalations(self, hold: str) -> tuple[Escalation, ...]:
        """Who has escalated a hold, oldest first."""
        ...

    def add_escalation(self, hold: str, escalation: Escalation, credential: str) -> None:
        """Append one, and the credential that it came with."""
        ...

    def wake_all(self, hold: str) -> None:
        """Nobody has the hold snoozed any more."""
        ...


class Attentions(Protocol):
    """Within one environment. Whoever looks, or snoozes, does so without the environment's line.

    Raises:
        Unavailable: `decision_not_recorded` from every method when the database could not do it.
    """

    def environment(self, name: str) -> AbstractContextManager[AttentionTransaction]:
        """As `UnitOfWork.environment`."""
        ...

    def of_holds(
        self, environment: str, holds: Collection[str], person: str, now: datetime
    ) -> dict[str, Attention]:
        """What stands at `now` of each of these holds, by hold, with what this person has snoozed.

        Nobody looks any more at a hold that they have decided on meanwhile. Holds of which nothing is said are left out.
        """
        ...

    def look(self, environment: str, hold: str, looker: Looker, now: datetime) -> Looker:
        """Note that somebody looks from `now` on, unless somebody else does: who looks then."""
        ...

    def let_go(self, environment: str, hold: str, person: str) -> None:
        """This person looks no more, if they did."""
        ...

    def snooze(self, environment: str, hold: str, person: str, until: datetime, now: datetime) -> None:
        """Snooze a hold for one person, whatever they had said before."""
        ...

    def wake(self, environment: str, hold: str, person: str) -> None:
        """This person has it snoozed no more."""
        ...
