"""A row of the audit trail that no message can be made of keeps nobody from hearing the others."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import psycopg
import pytest
from structlog.testing import capture_logs

from governor.cli.examination_of_messages import silent_endpoints
from governor.domain.audit import Entry
from governor.domain.messages import Telling, told_by
from governor.usecases import tell_endpoints
from tests.builders import World
from tests.messages.steps import deliveries, listen, told
from tests.receiver import Receiver
from tests.servers import libpq
from workers import messenger

#   what the database holds, as another version or another hand could leave it       what it breaks with
ROWS = [
    ("action = 'environment.stopped', facts = '{\"to\": \"all\"}'",                      "AttributeError"),
    ("action = 'refund_request.admitted', facts = '\"a word\"'",                         "AttributeError"),
    ("at = 'infinity'",                                                                  "ValueError"),
]  # fmt: skip


@contextmanager
def _rewritten(world: World, row: str, what: str) -> Iterator[int]:
    """A row of the trail is another one, as only its owner could make it; its number. It is put back at the end."""
    with psycopg.connect(libpq(world.database_url), autocommit=True) as session:
        session.execute("ALTER TABLE audit DISABLE TRIGGER USER")
        before = session.execute(
            "SELECT seq, action, facts::text, at FROM audit WHERE environment = %s AND object = %s",
            [world.environment, row],
        ).fetchone()
        assert before is not None
        seq, *kept = before
        here = [world.environment, seq]
        session.execute(
            f"UPDATE audit SET {what} WHERE environment = %s AND seq = %s",  # noqa: S608  words of this file
            here,
        )
        yield seq
        session.execute(
            "UPDATE audit SET action = %s, facts = %s, at = %s WHERE environment = %s AND seq = %s",
            [*kept, *here],
        )
        session.execute("ALTER TABLE audit ENABLE TRIGGER USER")


def test_a_row_that_breaks_half_way_is_told_to_nobody(
    world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is passed over is passed over whole: no first half of it goes out."""

    def half(entry: Entry) -> Iterator[Telling]:
        yield from told_by(entry)
        raise LookupError

    monkeypatch.setattr(tell_endpoints, "told_by", half)
    made = listen(world, receiver, "limit.created")
    world.limit(5000)
    messenger.run_once(world.app)
    assert deliveries(world, made.endpoint) == ()
    passed = world.app.messages.see.passed_over(world.operator)
    assert passed is not None


@pytest.mark.parametrize(("what", "error"), ROWS)
def test_what_cannot_be_told_is_passed_over_and_operators_hear_of_it(
    world: World, receiver: Receiver, what: str, error: str
) -> None:
    listen(world, receiver, "limit.created", "environment.stopped")
    first, broken, last = (world.limit(cap).id for cap in (5000, 6000, 7000))
    assert world.app.messages.see.passed_over(world.operator) is None
    with _rewritten(world, broken, what) as seq, capture_logs() as logs:
        messenger.run_once(world.app)
    assert told(receiver) == [("limit.created", first), ("limit.created", last)]
    passed = world.app.messages.see.passed_over(world.operator)
    assert passed is not None
    assert (passed.count, passed.first) == (1, seq)
    (line,) = [one for one in logs if one["event"] == "trail.row_passed_over"]
    assert (line["environment"], line["row"], line["error"]) == (world.environment, seq, error)
    assert [f"from row {seq} on" in says for says in silent_endpoints(world.app)] == [True]
    messenger.run_once(world.app)
    assert len(receiver.calls) == 2, "it is not met again"
    world.advance(timedelta(days=181).total_seconds())
    world.app.messages.forget()
    assert world.app.messages.see.passed_over(world.operator) is None
