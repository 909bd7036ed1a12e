"""Deciding several holds with one word: each by itself, as it was shown, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from governor.domain.approval import Ballot, Choice, check_ballot
from governor.domain.care import refuse_careless_sum
from governor.domain.errors import GovernorError, Refused, Unavailable
from governor.domain.requests import RefundRequest
from governor.domain.several import refuse_several
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.decide_hold import DecideHold
from governor.usecases.holds import held_request
from governor.usecases.read_ahead import ReadAhead


@dataclass(frozen=True)
class Line:
    """One hold, and what was shown of it."""

    hold: str
    digest: str
    version: int


@dataclass(frozen=True)
class Word:
    """What is said of all of them. `typed_minor`: their sum, as it was typed where that is asked for."""

    choice: Choice
    reason: str | None = None
    typed_minor: int | None = None


@dataclass(frozen=True)
class LineEnd:
    """What became of one: the request as it stands since the decision, or why it was left as it was."""

    hold: str
    request: RefundRequest | None
    left: GovernorError | None = None


@dataclass(frozen=True)
class DecideSeveral:
    """One person's word on several holds."""

    store: UnitOfWork
    decide_hold: DecideHold

    def __call__(self, caller: Caller, lines: Sequence[Line], word: Word, key: str) -> tuple[LineEnd, ...]:
        """Decide them in turn; what cannot be decided is left, and the others go on. Each has a key made of `key`.

        Payments that must be read again before somebody approves are read beforehand, a few at once. When the database
        or the provider does not answer, the rest is left untried.

        Raises:
            Invalid: about `/lines`, `/choice`, `/reason` or `/typed_amount`. NotFound: `hold_not_found`.
            Forbidden: `confirmation_needed`. Nothing is decided then.
        """
        lines = tuple(dict.fromkeys(lines))
        with self.store.reading() as reads:
            here = reads.environment_named(caller.environment)
            requests = [held_request(reads, caller.environment, line.hold) for line in lines]
        refuse_several(requests, word.choice)
        check_ballot(Ballot(word.choice, "", 0, word.reason))
        if word.choice is Choice.APPROVE and here is not None and caller.credential.person is not None:
            refuse_careless_sum(here, requests, word.typed_minor, confirmed=caller.confirmed)
        unread: dict[str, Unavailable] = {}
        if word.choice is Choice.APPROVE:
            ahead = ReadAhead(self.store, self.decide_hold.facts, self.decide_hold.max_age)
            unread = ahead(caller.environment, {one.payment for one in requests})
        ends: list[LineEnd] = []
        for line, request in zip(lines, requests, strict=True):
            silent = unread.get(request.payment)
            if ends and isinstance(ends[-1].left, Unavailable):
                silent = ends[-1].left
            ends.append(LineEnd(line.hold, None, silent) if silent else self._decide(caller, line, word, key))
        return tuple(ends)

    def _decide(self, caller: Caller, line: Line, word: Word, key: str) -> LineEnd:
        ballot = Ballot(word.choice, line.digest, line.version, word.reason)
        try:
            return LineEnd(line.hold, self.decide_hold(caller, line.hold, ballot, f"{key}:{line.hold}"))
        except (Refused, Unavailable) as refusal:
            return LineEnd(line.hold, None, refusal)
