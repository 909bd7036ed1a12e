"""Whoever is interrupted while the server works on an answer leaves no connection behind on which it would come."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from psycopg.abc import PQGen
from sqlalchemy import text

from adapters.sql.connection import CALL_OFF_SECONDS, HonestConnection
from tests.builders import World
from tests.servers import libpq
from tests.stack import eventually
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process
from tests.stories import world as world

SLOWLY = "SELECT pg_sleep(3600)"
AT_IT = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = :asked"


class TimeIsUp(Exception):
    """What a job runner raises in the middle of whatever its job does."""


@contextmanager
def _struck(world: World, with_what: Exception) -> Iterator[None]:
    """This thread is interrupted once, as soon as the server works on SLOWLY."""

    def time_is_up(_number: int, _frame: FrameType | None) -> None:
        raise with_what

    def strike() -> None:
        def waits() -> bool:
            with world.app.engine.connect() as session:
                return bool(session.scalar(text(AT_IT), {"asked": SLOWLY}))

        try:
            eventually(waits)
        finally:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    usual = signal.signal(signal.SIGUSR1, time_is_up)
    striking = threading.Thread(target=strike)
    try:
        striking.start()
        yield
    finally:
        signal.signal(signal.SIGUSR1, usual)
        striking.join()


def test_a_wait_that_was_interrupted_takes_its_connection_with_it(world: World) -> None:
    """RELIABILITY C17: RQ's time limit strikes while the database is waited for; the next to ask is answered."""
    with world.app.engine.connect() as session:
        session.execute(text("SET statement_timeout = 0"))  # it is struck, however late that is
        with _struck(world, TimeIsUp()), pytest.raises(TimeIsUp):
            session.execute(text(SLOWLY))
    for _ in range(world.app.settings.database_pool):
        world.app.store.now()


@pytest.mark.parametrize(
    ("again", "heard"), [(TimeIsUp("again"), "first"), (KeyboardInterrupt("end"), "end")]
)
def test_a_second_interruption_leaves_no_connection_behind_and_hides_the_first_only_to_end_the_process(
    world: World, database_url: str, monkeypatch: pytest.MonkeyPatch, again: BaseException, heard: str
) -> None:
    """It strikes while the server is told that nobody waits any more, which it therefore never hears."""

    def struck_again(*, timeout: float) -> None:
        assert timeout == CALL_OFF_SECONDS
        raise again

    with HonestConnection.connect(libpq(database_url)) as connection:
        monkeypatch.setattr(connection, "cancel_safe", struck_again)
        with (
            _struck(world, TimeIsUp("first")),
            pytest.raises((TimeIsUp, KeyboardInterrupt), match=heard),
        ):
            connection.execute(SLOWLY)
        assert connection.closed


def test_an_answer_that_has_come_is_not_called_off(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server would hear it during the next statement, and end that."""

    def struck() -> PQGen[None]:
        yield from ()  # what psycopg waits with is a generator
        raise TimeIsUp

    called_off: list[float] = []
    with HonestConnection.connect(libpq(database_url)) as connection:
        monkeypatch.setattr(connection, "cancel_safe", lambda *, timeout: called_off.append(timeout))
        with pytest.raises(TimeIsUp):
            connection.wait(struck())
        assert called_off == []
        assert connection.execute("SELECT 1").fetchone() == (1,)
