"""A freeze: one person stops provider writes, of everything or of one scope; it takes two to start them again.

What is frozen keeps its holds and is decided by its approvers as ever; only nothing of it leaves (invariant 15).
A new request is not decided at all: what an unfreeze lets go is what was decided before, and nothing that piled
up meanwhile and took everybody's room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from governor.domain.credentials import Credential, Kind
from governor.domain.errors import Forbidden, Unavailable, invalid
from governor.domain.limits import Scope, Subject
from governor.domain.second_person import Word, refuse_same_person

FREEZABLE = frozenset({Scope.ENVIRONMENT, Scope.CREDENTIAL, Scope.PAYMENT, Scope.CUSTOMER})
"""A frozen credential is frozen with everything below it."""

_IDS = {
    Scope.CREDENTIAL: re.compile(r"cred_[0-9a-z]{26}"),
    Scope.PAYMENT: re.compile(r"pi_[A-Za-z0-9_]{1,120}"),
    Scope.CUSTOMER: re.compile(r"cus_[A-Za-z0-9_]{1,120}"),
}

RETRY_SECONDS = 60
"""When a refused caller may ask again: a freeze lasts as long as people need."""


@dataclass(frozen=True)
class Freeze:
    """A stop of all provider writes in one scope; `value` is None for the whole environment.

    `proposed` is the first of two people who start it again, `ended` the second; then it stands no more.
    """

    id: str
    scope: Scope
    value: str | None
    frozen: Word
    proposed: Word | None = None
    ended: Word | None = None

    @property
    def standing(self) -> str:
        """`frozen`, `unfreeze_proposed` by one person, or `free` again."""
        if self.ended is not None:
            return "free"
        return "frozen" if self.proposed is None else "unfreeze_proposed"

    def covers(self, subject: Subject) -> bool:
        """Whether nothing may be written to the provider for this subject."""
        return self.scope is Scope.ENVIRONMENT or self.value in subject.values(self.scope)

    def again(self) -> Freeze:
        """Somebody says stop while it stands: whoever has proposed to start again must propose anew."""
        return replace(self, proposed=None)

    def unfrozen(self, word: Word) -> Freeze:
        """After `word`: proposed by the first person, ended by the second.

        Raises:
            Conflict: `second_person_needed` when the same person says it twice.
        """
        if self.proposed is None:
            return replace(self, proposed=word)
        refuse_same_person(self.proposed, word.person)
        return replace(self, ended=word)


def check_scope(scope: Scope, value: str | None) -> None:
    """Refuse a scope that cannot be frozen, or a value that names nothing.

    Raises:
        Invalid: about `/scope` or `/value`.
    """
    if scope not in FREEZABLE:
        raise invalid("/scope", "scope_unfit", "Environment, credential, payment or customer can be frozen.")
    if (scope is Scope.ENVIRONMENT) != (value is None):
        raise invalid("/value", "value_unfit", "The environment has no value; every other scope has one.")
    if value is not None and not _IDS[scope].fullmatch(value):
        raise invalid("/value", "value_malformed", f"This is no {scope.value} as it is shown.")


def refuse_program(chain: Sequence[Credential]) -> None:
    """A program may stop, and never start again.

    Raises:
        Forbidden: `unfreeze_needs_human`.
    """
    if chain[0].kind is not Kind.HUMAN:
        raise Forbidden("unfreeze_needs_human", "Only people let provider writes go on.")


def frozen_by(freezes: Iterable[Freeze], subject: Subject) -> Freeze | None:
    """The first standing freeze that covers the subject."""
    return next((freeze for freeze in freezes if freeze.covers(subject)), None)


def refuse_frozen(freezes: Iterable[Freeze], subject: Subject) -> None:
    """Refuse to decide what could not be sent. The reason is the operators' and is not told.

    Raises:
        Unavailable: `frozen`.
    """
    freeze = frozen_by(freezes, subject)
    if freeze is not None:
        raise Unavailable(
            "frozen",
            "Refunds are stopped here. Nothing was decided, and nothing is held: ask again when they go on.",
            {"frozen": freeze.scope.value},
            retry_after_seconds=RETRY_SECONDS,
        )
