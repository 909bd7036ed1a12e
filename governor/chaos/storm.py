"""One storm from beginning to end: set up, strike while the load runs, recover, judge."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final, TypedDict

from governor.chaos.agents import Agent
from governor.chaos.calling import Api
from governor.chaos.clients import Client, Weather
from governor.chaos.elsewhere import Elsewhere
from governor.chaos.judgement import judge, read_books
from governor.chaos.marks import marks, missed
from governor.chaos.nemesis import Nemesis
from governor.chaos.overseers import Approver, Operator
from governor.chaos.plan import plan
from governor.chaos.recovery import recover
from governor.chaos.settled import PEOPLE
from governor.chaos.stage import Place, Stage, stage
from governor.chaos.told import Told
from governor.domain.credentials import Role

TICK_SECONDS: Final = 0.05
AT_ONCE: Final = "abc"
"""Each agent asks for as many refunds at once as there are letters."""
FINDINGS: Final = 50
"""How many findings are told in words; the counts are always whole."""


class Report(TypedDict):
    """What a storm has come to. All of `lost` to `missed` must be 0, and the books clean."""

    seed: int
    seconds: float
    requests: int
    kills: int
    faults: int
    lost: int
    double: int
    unexplained: int
    broken: int
    over: int
    unresolved: int
    missed: int
    fsck: str
    blows: dict[str, int]
    kinds: dict[str, int]
    answers: dict[str, int]
    marks: dict[str, int]
    findings: list[str]


def is_right(report: Report) -> bool:
    """Whether every promise was kept, and by a storm that put them to the test."""
    figures: Mapping[str, object] = dict(report)
    kept = ("lost", "double", "unexplained", "broken", "over", "unresolved", "missed")
    return report["fsck"] == "clean" and not any(figures[name] for name in kept)


def run(place: Place, *, seconds: float, seed: int, tell: Callable[[str], None]) -> Report:
    """Play it; the servers, programs and files are gone when this returns, or raises.

    `seconds`: how long the storm itself lasts; setting up and recovering come on top. `tell` hears what comes next.
    """
    tell("setting up")
    with stage(place, seed) as here:
        told, weather = Told(), Weather()
        nemesis = Nemesis(here, told, Random(f"{seed}/nemesis"))  # noqa: S311  drawn again from a seed
        clients = _clients(here, told, weather, seed)
        try:
            for client in clients:
                client.start()
            tell("storm")
            lasted = _strike(nemesis, weather, seconds, seed)
            tell("recovery")
            recover(here, nemesis, clients, weather)
        finally:
            weather.over.set()
            for client in clients:
                client.join()
        tell("judgement")
        return _report(here, nemesis, told, seed, lasted)


def _clients(here: Stage, told: Told, weather: Weather, seed: int) -> list[Client]:
    made: list[Client] = []
    for name, (role, _, person) in PEOPLE.items():

        def api(of: str, secret: str = here.keys[name]) -> Api:
            return Api(here.ports, secret, Random(f"{seed}/{of}"), told)  # noqa: S311  a client that can be drawn again

        match role:
            case Role.AGENT:
                words = [f"{name}-{letter}" for letter in AT_ONCE]
                made += [Agent(api(word), weather, word, here.payments) for word in words]
            case Role.APPROVER:
                made.append(Approver(api(name), weather, person))
            case _:
                made.append(Operator(api(name), weather, name))
    elsewhere = Random(f"{seed}/elsewhere")  # noqa: S311  a client that can be drawn again
    return [*made, Elsewhere(Api((), "", elsewhere, told), weather, here.twin_url, here.payments)]


def _strike(nemesis: Nemesis, weather: Weather, seconds: float, seed: int) -> float:
    """Every blow in its time, or later where the one before took long; returns the seconds that it lasted."""
    started = time.monotonic()
    strikes = [*plan(seed, seconds)]
    while (now := time.monotonic() - started) < seconds:
        nemesis.tend()
        if strikes and strikes[0].at <= now:
            nemesis.strike(strikes.pop(0))
        weather.moment(TICK_SECONDS)
    weather.calm.set()
    return time.monotonic() - started


def _report(here: Stage, nemesis: Nemesis, told: Told, seed: int, seconds: float) -> Report:
    with here.app.engine.connect() as connection:
        books = read_books(connection)
        met = marks(connection, here.logs())
    judgement = judge(books, here.twin.writes(), told)
    found = here.app.check_books().findings
    unmet = missed(met, seconds)
    other_blows = sum(count for blow, count in nemesis.blows.items() if blow not in _COUNTED_ELSEWHERE)
    return Report(
        seed=seed,
        seconds=round(seconds, 1),
        requests=len(books.requests),
        kills=nemesis.killed,
        faults=nemesis.fired.total() + other_blows,
        lost=len(judgement.lost),
        double=len(judgement.double),
        unexplained=len(judgement.unexplained),
        broken=len(told.broken),
        over=len(judgement.over),
        unresolved=len(judgement.unresolved),
        missed=len(unmet),
        fsck="broken" if found else "clean",
        blows=dict(sorted(nemesis.blows.items())),
        kinds=dict(sorted(nemesis.fired.items())),
        answers=dict(told.answers.most_common()),
        marks={name: count for name, count in sorted((told.marks + Counter(met)).items()) if count},
        findings=_in_words(
            lost=judgement.lost,
            double=judgement.double,
            unexplained=judgement.unexplained,
            broken=told.broken,
            over=judgement.over,
            unresolved=judgement.unresolved,
            missed=unmet,
            fsck=[str(vars(one)) for one in found],
        ),
    )


_COUNTED_ELSEWHERE: Final = frozenset(
    {"provider_fault", "missed", "kill", "kill_queue", "kill_database", "kill_session"}
)


def _in_words(**found: Sequence[str]) -> list[str]:
    lines = [f"{name}: {words}" for name, some in found.items() for words in some]
    return lines[:FINDINGS]
