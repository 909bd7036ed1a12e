"""Deciding several holds with one word: each by itself, as it was shown, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from governor.domain.approval import Ballot, Choice, check_ballot
from governor.domain.care import refuse_careless_sum
from governor.domain.errors import GovernorError, Refused, Unavailable
from governor.domain.lifecycle import State
from governor.domain.requests import RefundRequest
from governor.domain.several import refuse_several
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.decide_hold import DecideHold
from governor.usecases.holds import held_request
from governor.usecases.read_ahead import ReadAhead, UntilSilence


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

        Payments that must be read again before somebody approves are read beforehand, a few at once. When the provider
        does not answer it is not asked again, and what needs no new look is decided; so is told again what was decided
        before. When the database does not answer, the rest is left untried.

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
        facts = UntilSilence(self.decide_hold.facts)
        if word.choice is Choice.APPROVE:
            waiting = {one.payment for one in requests if one.state is State.PENDING_APPROVAL}
            ReadAhead(self.store, facts, self.decide_hold.max_age)(caller.environment, waiting)
        decide, ends = replace(self.decide_hold, facts=facts), list[LineEnd]()
        for line in lines:
            last = ends[-1].left if ends else None
            away = isinstance(last, Unavailable) and last is not facts.silence
            ends.append(LineEnd(line.hold, None, last) if away else _decided(decide, caller, line, word, key))
        return tuple(ends)


def _decided(decide: DecideHold, caller: Caller, line: Line, word: Word, key: str) -> LineEnd:
    ballot = Ballot(word.choice, line.digest, line.version, word.reason)
    try:
        return LineEnd(line.hold, decide(caller, line.hold, ballot, f"{key}:{line.hold}"))
    except (Refused, Unavailable) as refusal:
        return LineEnd(line.hold, None, refusal)
