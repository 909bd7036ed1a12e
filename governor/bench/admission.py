"""`bench admission`: how fast many callers get durable decisions on shared allowances.

Yardsticks in the same run: a conditional UPDATE of one hot row (the bound of one decision a transaction), one
INSERT per commit through the same SQLAlchemy, and the ordinary design, `SELECT … FOR UPDATE` in round trips.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from adapters.sql.engine import make_engine
from governor.bench.measure import Call, Run, drive, machine, medians
from governor.bench.world import World, agent, application, world
from governor.domain.admission import Ask

_TABLES = text("""
    CREATE TABLE IF NOT EXISTS yard_hot (id int PRIMARY KEY, reserved bigint NOT NULL, cap bigint NOT NULL) WITH (fillfactor = 50);
    CREATE TABLE IF NOT EXISTS yard_insert (id bigint PRIMARY KEY, payment text NOT NULL, amount bigint NOT NULL);
    INSERT INTO yard_hot SELECT n, 0, 1000000000000 FROM generate_series(1, 4) n ON CONFLICT DO NOTHING""")
_HOT = text("UPDATE yard_hot SET reserved = reserved + 1 WHERE id = 1 AND reserved + 1 <= cap")
_INSERT = text("INSERT INTO yard_insert VALUES (:id, :payment, 1)")
_LOCK = text("SELECT reserved, cap FROM yard_hot WHERE id = :id FOR UPDATE")
_ADD = text("UPDATE yard_hot SET reserved = reserved + 1 WHERE id = :id")


def governed(context: dict[str, Any]) -> Call:
    """One whole admission through the library."""
    app = application(context["database_url"])
    caller, payments = agent(app, context), context["payments"]

    def call(number: int) -> None:
        payment = payments[number * 7919 % len(payments)]
        amount = number % 89_999 + 1
        ask = Ask(payment, amount, "usd", None, None, None, None)
        app.request_refund(caller, ask, f"bench-{number:012d}", None)

    return call


def hot_row(context: dict[str, Any]) -> Call:
    """The bound: nothing but a conditional UPDATE of one row."""
    engine = make_engine(context["database_url"])

    def call(_: int) -> None:
        with engine.begin() as connection:
            connection.execute(_HOT)

    return call


def one_insert(context: dict[str, Any]) -> Call:
    """One bare INSERT per commit through the same SQLAlchemy."""
    engine = make_engine(context["database_url"])
    first = context["round"] * 10**13

    def call(number: int) -> None:
        with engine.begin() as connection:
            connection.execute(_INSERT, {"id": first + number, "payment": "pi_bench"})

    return call


def for_update(context: dict[str, Any]) -> Call:
    """The ordinary design: lock four counters one by one, look, add, insert."""
    engine = make_engine(context["database_url"])
    first = context["round"] * 10**13 + 5 * 10**12

    def call(number: int) -> None:
        with engine.begin() as connection:
            for counter in (1, 2, 3, 4):
                reserved, cap = connection.execute(_LOCK, {"id": counter}).one()
                if reserved + 1 > cap:
                    return
                connection.execute(_ADD, {"id": counter})
            connection.execute(_INSERT, {"id": first + number, "payment": "pi_bench"})

    return call


_SUBJECTS = {"governed": governed, "hot_row": hot_row, "insert": one_insert, "for_update": for_update}


def run(
    *,
    callers: int = 64,
    processes: int = 2,
    rounds: int = 3,
    seconds: float = 2.5,
    limits: int = 4,
    database_url: str | None = None,
) -> dict[str, Any]:
    """Interleave the four, `rounds` times, and report medians and ratios."""
    with world(limits=limits, database_url=database_url) as here:
        app = application(here.database_url)
        with app.engine.begin() as connection:
            connection.execute(_TABLES)
        runs: dict[str, list[Run]] = {name: [] for name in _SUBJECTS}
        for turn in range(rounds):
            for name, make_call in _SUBJECTS.items():
                runs[name].append(_one(here, make_call, turn, callers, processes, seconds))
        return _report(runs, rounds)


def _one(here: World, make_call: Any, turn: int, callers: int, processes: int, seconds: float) -> Run:  # noqa: ANN401  one of _SUBJECTS
    context = here.context() | {"round": turn}
    return drive(make_call, context, callers=callers, processes=processes, seconds=seconds)


def _report(runs: dict[str, list[Run]], rounds: int) -> dict[str, Any]:
    figures = {name: medians(of) for name, of in runs.items()}
    governed_rate = figures["governed"]["per_second"]
    return {
        "figures": figures,
        "ratio_to_bound": round(governed_rate / figures["hot_row"]["per_second"], 2),
        "ratio_to_insert": round(governed_rate / figures["insert"]["per_second"], 2),
        "ratio_to_for_update": round(governed_rate / figures["for_update"]["per_second"], 2),
        "p50_ms": figures["governed"]["p50_ms"],
        "p99_ms": figures["governed"]["p99_ms"],
        "errors": [error for of in runs["governed"] for error in of.errors][:5],
        "machine": machine(),
        "runs": rounds,
    }
