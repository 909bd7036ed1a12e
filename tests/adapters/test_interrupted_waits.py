"""Whoever is interrupted while the server works on an answer leaves no connection behind on which it would come."""

import signal
import threading
from types import FrameType

import pytest
from sqlalchemy import text

from tests.builders import World
from tests.stack import eventually
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process
from tests.stories import world as world

SLOWLY = "SELECT pg_sleep(3600)"
AT_IT = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = :asked"


class TimeIsUp(Exception):
    """What a job runner raises in the middle of whatever its job does."""


def _time_is_up(_number: int, _frame: FrameType | None) -> None:
    raise TimeIsUp


def test_a_wait_that_was_interrupted_takes_its_connection_with_it(world: World) -> None:
    """RELIABILITY C17: RQ's time limit strikes while the database is waited for; the next to ask is answered."""

    def strike() -> None:
        def waits() -> bool:
            with world.app.engine.connect() as session:
                return bool(session.scalar(text(AT_IT), {"asked": SLOWLY}))

        eventually(waits)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    usual = signal.signal(signal.SIGUSR1, _time_is_up)
    striking = threading.Thread(target=strike)
    try:
        striking.start()
        with world.app.engine.connect() as session, pytest.raises(TimeIsUp):
            session.execute(text(SLOWLY))
    finally:
        signal.signal(signal.SIGUSR1, usual)
        striking.join()
    for _ in range(world.app.settings.database_pool):
        world.app.store.now()
