"""How a trail is looked after is kept: where it was last anchored, what its last verification found."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from threading import Event

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from governor.domain.anchors import EVENT
from governor.domain.trail_care import ANCHORED_EVERY, OVERDUE, KeptIn
from tests.builders import World, fresh_key
from tests.usecases.long_work import never
from workers import cron


def _verify(world: World, **parameters: str) -> str:
    run, _ = world.app.long_work.runs.begin(world.operator, "verify_trail", parameters, fresh_key("run"))
    world.app.long_work.carry_out(never)
    return run.id


def test_a_trail_that_nobody_has_looked_after_says_so(world: World) -> None:
    care = world.app.audit.care.of(world.environment)
    assert (care.anchored, care.verified) == (None, None)
    assert care.last == 2, "the environment was founded, and its operator's key made"


def test_what_a_run_has_verified_is_kept_with_the_run_that_did_it(world: World) -> None:
    world.limit(1000)
    whole = _verify(world)
    first = world.app.audit.care.of(world.environment).verified
    assert first is not None
    assert (first.first, first.run, first.broken) == (1, whole, None)
    part = _verify(world, **{"from": "2", "to": "3"})
    second = world.app.audit.care.of(world.environment).verified
    assert second is not None
    assert (second.first, second.last, second.run) == (2, 3, part)
    assert second.at > first.at


@contextmanager
def _tampered(world: World, *rows: int) -> Iterator[None]:
    """Rows of the host say that somebody else did it; they are put back at the end."""
    for actor, wrong in (("somebody", True), ("host", False)):
        with world.app.engine.begin() as connection:
            connection.execute(text("ALTER TABLE audit DISABLE TRIGGER audit_append_only"))
            connection.execute(
                text("UPDATE audit SET actor = :actor WHERE seq = ANY(:rows)"),
                {"actor": actor, "rows": [*rows]},
            )
            connection.execute(text("ALTER TABLE audit ENABLE TRIGGER audit_append_only"))
        if wrong:
            yield


def _broken(world: World) -> tuple[str, int] | None:
    verified = world.app.audit.care.of(world.environment).verified
    assert verified is not None
    return verified.broken


def test_a_break_is_kept_with_its_row(world: World) -> None:
    with _tampered(world, 2):
        _verify(world)
    assert _broken(world) == ("audit_hash", 2)


def test_a_break_stays_until_its_row_is_looked_at_again(world: World) -> None:
    world.limit(1000)
    with _tampered(world, 2):
        _verify(world)
        for elsewhere in ({"from": "1", "to": "1"}, {"from": "3", "to": "3"}):
            _verify(world, **elsewhere)
            assert _broken(world) == ("audit_hash", 2), elsewhere
    _verify(world, **{"from": "2", "to": "2"})
    assert _broken(world) is None, "it is as it was"


def test_a_walk_that_ends_at_another_break_settles_none_behind_it(world: World) -> None:
    with _tampered(world, 1, 2):
        _verify(world, **{"from": "2", "to": "2"})
        behind = _broken(world)
        assert behind is not None
        assert behind[1] == 2
        _verify(world)
        assert _broken(world) == behind
    _verify(world)
    assert _broken(world) is None


def test_what_only_an_anchor_shows_is_settled_only_by_anchors(world: World) -> None:
    trail = world.app.audit
    anchor = trail.anchor(world.environment)
    world.limit(1000)
    trail.care.verified(trail.verify(world.environment, anchors=[replace(anchor, hash="0" * 64)]))
    assert _broken(world) == ("audit_anchor", anchor.seq)
    _verify(world)
    assert _broken(world) == ("audit_anchor", anchor.seq), "a chain that was sealed anew is whole"
    trail.care.verified(trail.verify(world.environment, anchors=[anchor]))
    assert _broken(world) is None


def test_what_cron_has_said_in_its_log_is_kept(world: World) -> None:
    cron.anchor(world.app)
    care = world.app.audit.care.of(world.environment)
    assert care.anchored is not None
    assert (care.anchored.seq, care.anchored.kept_in, care.anchored.key) == (care.last, KeptIn.LOG, None)
    world.limit(1000)
    cron.anchor(world.app)
    later = world.app.audit.care.of(world.environment).anchored
    assert later is not None
    assert later.seq > care.anchored.seq


class _After(Event):
    """Stops after so many ticks, and waits for none."""

    def __init__(self, ticks: int) -> None:
        super().__init__()
        self._left = ticks

    def wait(self, timeout: float | None = None) -> bool:
        self._left -= 1
        if self._left == 0:
            self.set()
        return timeout is None


def test_a_trail_is_anchored_every_hour_however_long_a_tick_takes(world: World) -> None:
    starts, one_hour = 5000.0, ANCHORED_EVERY.total_seconds()
    ticks = [starts, starts + 1, starts + one_hour - 1, starts + one_hour, starts + one_hour + 1]
    with capture_logs() as logs:
        cron.run(world.app, _After(len(ticks)), iter([starts, *ticks]).__next__)
    assert [line["event"] for line in logs].count(EVENT) == 2


def test_an_anchor_that_could_not_be_said_is_tried_at_the_next_tick(world: World) -> None:
    away = world.another_process(database_url="postgresql+psycopg://nobody@127.0.0.1:1/none")
    with capture_logs() as logs:
        cron.run(away, _After(2), iter([0.0, 0.0, 1.0]).__next__)
    assert [line["event"] for line in logs] == ["cron.waiting", "cron.waiting"]


def test_an_older_word_changes_nothing(world: World) -> None:
    anchor = world.app.audit.anchor(world.environment)
    world.app.audit.care.anchored(anchor, KeptIn.LOG)
    old = replace(anchor, seq=1, at="2020-01-01T00:00:00+00:00")
    world.app.audit.care.anchored(old, KeptIn.COMMAND)
    kept = world.app.audit.care.of(world.environment).anchored
    assert kept is not None
    assert (kept.seq, kept.kept_in) == (anchor.seq, KeptIn.LOG)


@pytest.mark.parametrize(("later", "is_overdue"), [(OVERDUE, False), (OVERDUE + timedelta(seconds=1), True)])
def test_an_anchor_is_overdue_when_the_next_ones_did_not_come(
    world: World, later: timedelta, is_overdue: bool
) -> None:
    cron.anchor(world.app)
    anchored = world.app.audit.care.of(world.environment).anchored
    assert anchored is not None
    assert anchored.is_overdue(anchored.at + later) is is_overdue
