"""The inbox on a real PostgreSQL: kept once, taken by one, never lost, never given up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from sqlalchemy import Engine

from adapters.sql.connection import DurabilityInDoubtError, HonestConnection
from adapters.sql.engine import make_engine
from adapters.sql.inbox import SqlInbox
from adapters.sql.unit_of_work import SqlUnitOfWork
from governor.domain.environments import Environment, Mode
from governor.domain.errors import Unavailable
from governor.ports.inbox import EventInbox, Received, Walk
from governor.ports.provider import ProviderEvent
from tests.servers import libpq

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
EVENT = ProviderEvent(
    id="evt_1",
    type="refund.created",
    happened_at=NOW - 5 * SECOND,
    livemode=False,
    account=None,
    payment="pi_1",
    refund="re_1",
    key="governor-rr_1",
)


@dataclass
class Stage:
    """Two processes' views of one inbox, with a clock that the test moves."""

    url: str
    engine: Engine
    time: datetime = NOW
    inbox: EventInbox = field(init=False)

    def __post_init__(self) -> None:
        self.inbox = SqlInbox(self.engine, self)

    def now(self) -> datetime:
        return self.time

    def rows(self) -> list[dict[str, Any]]:
        with psycopg.connect(libpq(self.url), row_factory=dict_row) as session:
            return session.execute("SELECT * FROM provider_events ORDER BY environment, id").fetchall()

    def keep(self, *ids: str, environment: str = "test", **fields: Any) -> int:
        """Keep events that differ in their ids alone."""
        events = [replace(EVENT, id=one, **fields) for one in ids]
        return self.inbox.keep(environment, [Received.of(one, b"{}") for one in events])

    def take(self, at_most: int = 100, environment: str = "test") -> list[str]:
        return [one.id for one in self.inbox.take_due(environment, at_most=at_most)]


@pytest.fixture
def stage(database_url: str) -> Iterator[Stage]:
    engine = make_engine(database_url, pool_size=4)
    store = SqlUnitOfWork(engine, timedelta)
    for name in ("test", "other"):
        store.add_environment(
            Environment(name, "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 0, 1, NOW)
        )
    yield Stage(database_url, engine)
    engine.dispose()


def test_an_event_is_kept_with_all_it_says_and_comes_back(stage: Stage) -> None:
    assert stage.inbox.keep("test", [Received.of(EVENT, b'{"raw": true}')]) == 1
    (row,) = stage.rows()
    assert (bytes(row["body"]), row["via"], row["received_at"], row["due_at"]) == (
        b'{"raw": true}',
        "webhook",
        NOW,
        NOW,
    )
    assert row["digest"] == stage.inbox.digest_of("test", "evt_1") == Received.of(EVENT).digest
    assert stage.inbox.take_due("test", at_most=5) == (EVENT,)


def test_an_event_that_says_little_is_kept_too(stage: Stage) -> None:
    little = replace(EVENT, payment=None, refund=None, key=None)
    assert stage.inbox.keep("test", [Received.of(little)]) == 1
    assert stage.inbox.take_due("test", at_most=5) == (little,)
    assert stage.rows()[0]["via"] == "poll"


def test_what_comes_again_is_kept_once_and_stays_what_it_was(stage: Stage) -> None:
    """RELIABILITY 173."""
    assert stage.keep("evt_1", "evt_2", "evt_1") == 2
    before = stage.rows()
    stage.time += SECOND
    assert stage.keep("evt_2", "evt_3", payment="pi_other") == 1
    assert stage.rows()[:2] == before
    assert stage.keep("evt_3") == 0


def test_an_event_that_was_read_is_not_due_again_however_often_it_comes(stage: Stage) -> None:
    stage.keep("evt_1")
    stage.inbox.done("test", stage.take(), "seen")
    assert stage.keep("evt_1") == 0
    assert (stage.take(), stage.inbox.anything_due("test")) == ([], None)


def test_many_who_keep_the_same_events_at_once_keep_each_once(stage: Stage) -> None:
    """In both orders: nobody waits for somebody who waits for him."""
    ids = [f"evt_{number:02d}" for number in range(40)]
    kept: list[int] = []

    def keep(mine: list[str]) -> None:
        kept.append(stage.keep(*mine))

    threads = [threading.Thread(target=keep, args=[ids[:: (-1) ** n]]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sum(kept), len(stage.rows())) == (40, 40)


def test_two_takers_never_get_the_same_event(stage: Stage) -> None:
    stage.keep(*(f"evt_{number:02d}" for number in range(60)))
    taken: list[str] = []

    def take() -> None:
        while mine := stage.take(at_most=7):
            taken.extend(mine)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [f"evt_{number:02d}" for number in range(60)]


def test_the_oldest_come_first_and_another_environments_not_at_all(stage: Stage) -> None:
    stage.keep("evt_1", happened_at=NOW - 3 * SECOND)
    stage.keep("evt_2", happened_at=NOW - 9 * SECOND)
    stage.keep("evt_3", environment="other")
    assert stage.take() == ["evt_2", "evt_1"]
    assert stage.inbox.anything_due("other") == "evt_3"


def test_what_a_crash_left_behind_comes_due_again_ever_later_and_for_ever(stage: Stage) -> None:
    """RELIABILITY H4, G8: a minute, then twice as long, an hour at the longest."""
    stage.keep("evt_1")
    waits = []
    for _ in range(12):
        assert stage.take() == ["evt_1"]
        assert (stage.take(), stage.inbox.anything_due("test")) == ([], None)
        due = stage.rows()[0]["due_at"]
        waits.append(int((due - stage.time).total_seconds()))
        stage.time = due - SECOND
        assert stage.take() == []
        stage.time = due
        assert stage.inbox.anything_due("test") == "evt_1"
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600, 3600]


def test_what_was_read_says_what_became_of_it_and_its_body_is_gone(stage: Stage) -> None:
    """RELIABILITY, invariant 18: a body may name people."""
    stage.keep("evt_1", "evt_2")
    stage.take()
    stage.time += SECOND
    stage.inbox.done("test", ["evt_1", "evt_unheard_of"], "seen")
    stage.inbox.done("test", ["evt_1"], "again")
    read, open_ = stage.rows()
    assert (read["result"], read["processed_at"], read["body"], read["due_at"]) == (
        "seen",
        stage.time,
        None,
        None,
    )
    assert (open_["result"], bytes(open_["body"])) == (None, b"{}")


def test_an_event_of_two_environments_leads_to_the_one_where_it_has_waited_longer(stage: Stage) -> None:
    stage.keep("evt_1", environment="test")
    stage.time += SECOND
    stage.keep("evt_1", environment="other")
    assert stage.inbox.environment_of("evt_1") == "test"
    stage.take(environment="test")
    assert stage.inbox.environment_of("evt_1") == "other"
    stage.inbox.done("other", stage.take(environment="other"), "seen")
    assert stage.inbox.environment_of("evt_1") == "test"
    assert stage.inbox.environment_of("evt_2") is None


def test_a_walk_is_remembered_and_never_moves_back(stage: Stage) -> None:
    assert stage.inbox.walk("test", "events") is None
    begun = stage.inbox.tried("test", "events")
    assert stage.inbox.walk("test", "events") == Walk(None, None, NOW)
    stage.time += SECOND
    stage.inbox.walked("test", "events", NOW, begun)
    assert stage.inbox.walk("test", "events") == Walk(NOW, NOW, NOW)
    stage.inbox.walked("test", "events", NOW - SECOND, NOW - SECOND)
    assert stage.inbox.walk("test", "events") == Walk(NOW, NOW, NOW)
    assert stage.inbox.walk("test", "refunds") is None
    stage.inbox.walked("other", "refunds", NOW, stage.time)
    assert stage.inbox.walk("other", "refunds") == Walk(NOW, stage.time, stage.time)


def test_a_database_that_is_away_is_said_to_be_away(stage: Stage) -> None:
    """RELIABILITY H2."""
    engine = make_engine("postgresql+psycopg://nobody@127.0.0.1:1/nothing", pool_size=2)
    nowhere = SqlInbox(engine, stage)
    for ask in (
        lambda: nowhere.keep("test", [Received.of(EVENT)]),
        lambda: nowhere.take_due("test", at_most=1),
        lambda: nowhere.anything_due("test"),
        lambda: nowhere.digest_of("test", "evt_1"),
    ):
        with pytest.raises(Unavailable) as refusal:
            ask()
        assert refusal.value.code == "event_not_recorded"


def test_a_commit_in_doubt_is_asked_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """RELIABILITY §0, 5: a second delivery finds the row, and must not be answered before the standby has it."""
    committed: list[bool] = []
    commit = HonestConnection.commit

    def doubt(connection: HonestConnection) -> None:
        written = connection.execute("SELECT pg_current_xact_id_if_assigned()").fetchone()
        committed.append(written != (None,))
        commit(connection)
        if len(committed) == 1:
            raise DurabilityInDoubtError

    monkeypatch.setattr(HonestConnection, "commit", doubt)
    with pytest.raises(Unavailable) as refusal:
        stage.keep("evt_1")
    assert refusal.value.code == "event_not_recorded"
    assert len(stage.rows()) == 1
    assert stage.keep("evt_1") == 0
    assert committed == [True, True], "a commit that wrote nothing waits for no standby"
