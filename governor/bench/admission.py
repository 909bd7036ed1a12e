"""`bench admission`: how fast many callers get durable decisions on shared allowances.

Yardsticks in the same run: a conditional UPDATE of one hot row (the bound of one decision a transaction), one
INSERT per commit through the same SQLAlchemy, and the ordinary design, `SELECT … FOR UPDATE` in round trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import Engine, text

from adapters.sql.engine import make_engine
from governor.bench.asking import governed
from governor.bench.measure import Call, Effort, MakeCall, errors_of, interleave, medians
from governor.bench.report import Report, fsck, ratio, report
from governor.bench.world import application, database, found

DEFAULT = Effort(callers=64, processes=2, rounds=3, seconds=2.5)

_TABLES = text("""
    CREATE TABLE yard_hot (id int PRIMARY KEY, reserved bigint NOT NULL, cap bigint NOT NULL) WITH (fillfactor = 50);
    CREATE TABLE yard_insert (id bigint PRIMARY KEY, payment text NOT NULL, amount bigint NOT NULL);
    INSERT INTO yard_hot SELECT n, 0, 1000000000000 FROM generate_series(1, 4) n""")
_HOT = text("UPDATE yard_hot SET reserved = reserved + 1 WHERE id = 1 AND reserved + 1 <= cap")
_INSERT = text("INSERT INTO yard_insert VALUES (:id, :payment, 1)")
_LOCK = text("SELECT reserved, cap FROM yard_hot WHERE id = :id FOR UPDATE")
_ADD = text("UPDATE yard_hot SET reserved = reserved + 1 WHERE id = :id")


@cache
def _engine(database_url: str) -> Engine:
    """One pool a process for all yardsticks, as governor has one."""
    return make_engine(database_url)


def hot_row(context: dict[str, Any]) -> Call:
    """The bound: nothing but a conditional UPDATE of one row."""
    engine = _engine(context["database_url"])

    def call(_: int) -> None:
        with engine.begin() as connection:
            connection.execute(_HOT)

    return call


def one_insert(context: dict[str, Any]) -> Call:
    """One bare INSERT per commit through the same SQLAlchemy."""
    engine = _engine(context["database_url"])

    def call(number: int) -> None:
        with engine.begin() as connection:
            connection.execute(_INSERT, {"id": number, "payment": "pi_bench"})

    return call


def for_update(context: dict[str, Any]) -> Call:
    """The ordinary design: lock four counters one by one, look, add, insert."""
    engine = _engine(context["database_url"])

    def call(number: int) -> None:
        with engine.begin() as connection:
            for counter in (1, 2, 3, 4):
                reserved, cap = connection.execute(_LOCK, {"id": counter}).one()
                if reserved + 1 > cap:
                    return
                connection.execute(_ADD, {"id": counter})
            connection.execute(_INSERT, {"id": number, "payment": "pi_bench"})

    return call


SUBJECTS: Mapping[str, MakeCall] = {
    "governed": governed,
    "hot_row": hot_row,
    "insert": one_insert,
    "for_update": for_update,
}


def run(effort: Effort = DEFAULT, *, limits: int = 4, database_url: str | None = None) -> Report:
    """Interleave the four, and report medians and ratios."""
    with database(database_url) as url:
        app = application(url)
        try:
            world = found(app, limits=limits)
            with app.engine.begin() as connection:
                connection.execute(_TABLES)
            runs = interleave(SUBJECTS, world.context(), effort)
            books = fsck(app)
        finally:
            app.engine.dispose()
    figures = {name: medians(some) for name, some in runs.items()}
    rate = {name: values["per_second"] for name, values in figures.items()}
    return report(
        figures,
        "governed",
        fsck=books,
        errors=errors_of(runs),
        runs=effort.rounds,
        ratio_to_bound=ratio(rate["governed"], rate["hot_row"]),
        ratio_to_insert=ratio(rate["governed"], rate["insert"]),
        ratio_to_for_update=ratio(rate["governed"], rate["for_update"]),
    )
