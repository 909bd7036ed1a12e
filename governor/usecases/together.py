"""Deciding together: callers of one environment who wait at the same moment share one transaction.

One decision per transaction can never beat one flush on a shared allowance; deciding together can
(PERFORMANCE.md). Whoever comes first leads: takes the others who wait, decides for all in order, and hands
the lead to the next who came meanwhile. A queue of one is decided at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Generic, TypeVar

from governor.domain.errors import GovernorError, InvariantBroken, Unavailable

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_MOST = 64
"""How many share a transaction: enough to fill a flush, few enough that nobody waits long."""


@dataclass
class _Waiting(Generic[Item, Result]):
    item: Item
    woken: Event = field(default_factory=Event)
    answer: Result | BaseException | None = None
    leads: bool = False


@dataclass
class _Line(Generic[Item, Result]):
    waiting: deque[_Waiting[Item, Result]] = field(default_factory=deque)
    led: bool = False


class Together(Generic[Item, Result]):
    """`decide_all` gets an environment and a function that takes the items that wait by then; it answers in order.

    It should take them as late as it can, once it holds what decisions wait for: all who came meanwhile then
    share its transaction. An answer that is an exception is raised to its own caller only. When `decide_all`
    itself fails, nothing was recorded: each item is then decided alone, so that one bad item cannot fail the
    others, except when the database is away.
    """

    def __init__(
        self,
        decide_all: Callable[[str, Callable[[], Sequence[Item]]], Sequence[Result | GovernorError]],
        at_most: int = AT_MOST,
    ) -> None:
        self._decide_all = decide_all
        self._at_most = at_most
        self._lock = Lock()
        self._lines: dict[str, _Line[Item, Result]] = {}

    def decide(self, environment: str, item: Item) -> Result:
        """Decide one item, together with whoever else waits."""
        mine: _Waiting[Item, Result] = _Waiting(item)
        with self._lock:
            line = self._lines.setdefault(environment, _Line())
            line.waiting.append(mine)
            mine.leads = not line.led
            line.led = True
        if not mine.leads:
            mine.woken.wait()
        if mine.leads:
            self._lead(environment, line)
        if isinstance(mine.answer, BaseException):
            raise mine.answer
        if mine.answer is None:
            raise InvariantBroken("undecided", "a waiting request was never answered")
        return mine.answer

    def _lead(self, environment: str, line: _Line[Item, Result]) -> None:
        batch: list[_Waiting[Item, Result]] = []
        try:
            answers = self._answers(environment, line, batch)
            self._take(line, batch)
            for waiting, answer in zip(batch, answers, strict=True):
                waiting.answer = answer
        except BaseException as error:
            # Also when nobody was taken yet: a leader that stayed in the line would be woken as its own successor.
            self._take(line, batch)
            for waiting in batch:
                waiting.answer = error
            raise
        finally:
            self._hand_over(line)
            for waiting in batch:
                waiting.woken.set()

    def _answers(
        self, environment: str, line: _Line[Item, Result], batch: list[_Waiting[Item, Result]]
    ) -> Sequence[Result | BaseException]:
        """The answers to the batch, which is filled on the way."""
        try:
            return self._decide_all(environment, lambda: self._take(line, batch))
        except Unavailable as error:
            self._take(line, batch)
            return [error] * len(batch)
        except Exception as error:  # noqa: BLE001  whatever it is belongs to its own caller, who gets it raised
            self._take(line, batch)
            return [error] if len(batch) == 1 else [self._alone(environment, one.item) for one in batch]

    def _alone(self, environment: str, item: Item) -> Result | BaseException:
        try:
            return self._decide_all(environment, lambda: [item])[0]
        except Exception as error:  # noqa: BLE001  whatever it is belongs to its own caller, who gets it raised
            return error

    def _take(self, line: _Line[Item, Result], batch: list[_Waiting[Item, Result]]) -> list[Item]:
        """Who waits now, oldest first; taken once. The leader waits longest, so it is always among them."""
        with self._lock:
            taken = 0 if batch else min(self._at_most, len(line.waiting))
            batch.extend(line.waiting.popleft() for _ in range(taken))
        return [waiting.item for waiting in batch]

    def _hand_over(self, line: _Line[Item, Result]) -> None:
        """Whoever came while we decided leads next."""
        with self._lock:
            if line.waiting:
                line.waiting[0].leads = True
                line.waiting[0].woken.set()
            else:
                line.led = False
