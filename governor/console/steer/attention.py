"""What calls for an operator because of what people said, what limits have left, and whom rules and endpoints miss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from governor.console.page import HowMany
from governor.console.steer import limit_words
from governor.console.steer.alarms import Alarm
from governor.console.words import ago, spaced
from governor.domain.endpoints import Endpoint
from governor.domain.environments import Environment
from governor.domain.freezes import Freeze
from governor.domain.limits import Scope
from governor.domain.quorum import Reach
from governor.domain.rules import Rule
from governor.usecases.limit_board import Taken

STOPS_NAMED = 5
"""So many freezes are told one by one: those of everything, then those that wait for a second person; of more, how many."""
NEARLY = 90
"""Percent of a cap that are taken when a limit is about to stop what it counts."""
TAKES_NOTHING = timedelta(minutes=15)
"""How long an endpoint may take nothing before somebody should look: a restart is over by then."""

STOPS = {
    "halted": "governor halted: what Stripe shows does not fit what was asked of it",
    "paused": "Stripe refuses our key",
    "fenced": "the database is another one than before, and may have forgotten refunds",
}
"""What stops provider writes until somebody has seen why; people's own stops are freezes."""
_MENDED_BY = {
    "halted": "Find out what was refunded",
    "paused": "Give governor a key that works",
    "fenced": "Reconcile, and look at what was made elsewhere",
}


def governor_stops(here: Environment) -> dict[str, str]:
    """What governor itself has stopped, by kind, each with its reason."""
    return {kind: reason for kind, reason in here.stops.items() if kind in STOPS and reason is not None}


def stops(here: Environment, freezes: Iterable[Freeze], me: str | None) -> Iterator[Alarm]:
    """What is stopped, and who has to do what before it goes on. `me` is who may say so; None for who only looks."""
    for kind, reason in governor_stops(here).items():
        why = "" if kind == "fenced" else f" ({spaced(reason)})"
        words = f"Everything is stopped: {STOPS[kind]}{why}. {_MENDED_BY[kind]}, then let refunds go on."
        yield Alarm("danger", words, "/settings")
    first = sorted(freezes, key=lambda one: (one.scope is not Scope.ENVIRONMENT, one.proposed is None))
    for one in first[:STOPS_NAMED]:
        everything = one.scope is Scope.ENVIRONMENT
        what = "Everything" if everything else f"The {_NAMES[one.scope]} {one.value}"
        words = f"{what} is stopped by {one.frozen.person}. {_going_on(one, me)}"
        yield Alarm("danger" if everything else "warning", words, f"/freezes/{one.id}")
    if more := len(first[STOPS_NAMED:]):
        yield Alarm("warning", f"{more} more {'is' if more == 1 else 'are'} stopped.", "/freezes")


_NAMES = {Scope.CREDENTIAL: "key", Scope.CUSTOMER: "customer", Scope.PAYMENT: "payment"}


def _going_on(freeze: Freeze, me: str | None) -> str:
    if freeze.proposed is None:
        return "It goes on when two people say so."
    first = freeze.proposed.person
    if me is None or first == me:
        return f"{first} wants it to go on; somebody else has to say so, too."
    return f"{first} wants it to go on, and waits for your word."


def second_words(raises: int, endings: HowMany) -> Iterator[Alarm]:
    """What others have said that waits for this operator: changes of limits, and how refunds in doubt ended."""
    if raises:
        words = "1 change of a limit waits" if raises == 1 else f"{raises} changes of limits wait"
        yield Alarm("warning", f"{words} for your word.", "/limits")
    if endings.number:
        words = "a refund in doubt" if str(endings) == "1" else f"{endings} refunds in doubt"
        yield Alarm("warning", f"Somebody has said how {words} ended, and waits for your word.", "/unknown")


def nearly_taken(standing: Iterable[Taken]) -> Iterator[Alarm]:
    """Limits with one counter that have next to nothing left. One that allows nothing stops nothing by surprise."""
    for limit, usage in ((one.limit, one.usage) for one in standing):
        if usage is None or not limit.cap or usage.exposure * 100 < NEARLY * limit.cap:
            continue
        left = limit.cap - usage.exposure
        is_left = f"{limit_words.figure(limit, left)} is" if left > 0 else "Nothing is"
        words = f"{is_left} left of: {limit_words.sentence(limit)}."
        yield Alarm("warning", words, f"/limits/{limit.id}")


def out_of_reach(found: Iterable[tuple[Rule, Reach]]) -> Iterator[Alarm]:
    """Rules whose holds can only expire."""
    for rule, at in found:
        people = "nobody" if not at.able else f"only {len(at.able)}"
        words = f"The rule {rule.name} asks for {at.quorum} to approve, and {people} may: what it holds can only expire."
        yield Alarm("danger", words, f"/rules/{rule.id}")


def deaf(endpoints: Iterable[Endpoint], now: datetime) -> Iterator[Alarm]:
    """Endpoints that hear nothing of what happens."""
    for one in endpoints:
        if one.disabled_at is not None:
            words = f"The endpoint at {one.place} is disabled: it hears nothing."
            yield Alarm("warning", words, f"/endpoints/{one.id}")
        elif one.failing_since is not None and now - one.failing_since >= TAKES_NOTHING:
            words = f"The endpoint at {one.place} began to take nothing {ago(one.failing_since, now)}: messages wait."
            yield Alarm("warning", words, f"/endpoints/{one.id}")
