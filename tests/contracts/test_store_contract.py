"""What every store promises (governor.ports.store): the one in memory answers whatever it is asked as PostgreSQL does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from adapters.memory.unit_of_work import MemoryUnitOfWork
from adapters.sql.engine import make_engine
from adapters.sql.unit_of_work import SqlUnitOfWork
from governor.domain.environments import Environment, Mode
from governor.domain.limits import Measure, Scope
from governor.domain.rules import Cumulative, RuleEffect, tally_of
from governor.domain.windows import WindowKind
from governor.sim.run import live
from tests.contracts.mirror import Mirror
from tests.unit.values import rule

SUM = Cumulative(Scope.CUSTOMER, Measure.AMOUNT, WindowKind.DAY, None, "UTC", 100)


@pytest.fixture
def sql(database_url: str) -> Iterator[SqlUnitOfWork]:
    engine = make_engine(database_url, pool_size=2)
    yield SqlUnitOfWork(engine, timedelta)
    engine.dispose()


@pytest.mark.parametrize("seed", [31, 52, 58])
def test_the_store_in_memory_answers_as_postgresql_does(sql: SqlUnitOfWork, seed: int) -> None:
    mirrors: list[Mirror] = []

    def through(memory: MemoryUnitOfWork) -> Mirror:
        mirrors.append(Mirror(memory, sql))
        return mirrors[-1]

    life = live(seed, steps=120, through=through)
    assert life.violation is None
    mirrors[0].compare_everything()
    assert sum(mirrors[0].asked.values()) > 200


def _environment(founded: datetime) -> Environment:
    return Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 0, 1, founded)


def test_calls_taken_one_by_one_are_no_more_than_taken_at_once(sql: SqlUnitOfWork) -> None:
    """A recovery takes them so, within one transaction."""
    founded = sql.now() - timedelta(hours=1)
    for store in (sql, MemoryUnitOfWork(lambda: founded + timedelta(hours=1))):
        assert store.add_environment(_environment(founded))
        with store.environment("test") as tx:
            assert [tx.take_tokens(1) for _ in range(5)] == [1, 0, 0, 0, 0]


def test_rules_and_what_they_ask_are_answered_alike(sql: SqlUnitOfWork) -> None:
    """The life of a seed has no rules: here they are written, revised and archived in both stores."""
    memory = MemoryUnitOfWork(sql.now)
    mirror = Mirror(memory, sql)
    founded = sql.now() - timedelta(hours=1)
    mirror.add_environment(_environment(founded))
    tally = tally_of(rule(currency="usd", cumulative=SUM), "lim_1")
    assert tally is not None
    with mirror.environment("test") as tx:
        tx.add_limit(tally)
        for one in (
            rule(quorum=2, approvers=("ana", "ben")),
            rule(RuleEffect.DENY, id="rule_2", reasons=("duplicate",)),
        ):
            tx.write_rule(one, "cred_1")
        tx.write_rule(rule(currency="usd", cumulative=SUM, tally="lim_1", revision=2), "cred_2")
        tx.write_rule(rule(RuleEffect.DENY, id="rule_2", revision=2, archived=True), "cred_2")
    with mirror.environment("test") as tx:
        assert [one.id for one in tx.active_rules()] == ["rule_1"]
        assert [one.id for one in tx.active_limits()] == ["lim_1"]
        assert (tx.limits("test"), tx.limit("test", "lim_1")) == ((), None)
        assert tx.refunded_customers({"cus_1"}) == frozenset()
    with mirror.reading() as reads:
        assert [one.id for one in reads.rules("test", archived=True)] == ["rule_1", "rule_2"]
        assert [one.rule.revision for one in reads.rule_revisions("test", "rule_1")] == [2, 1]
        assert reads.rule_revisions("test", "rule_none") == ()
