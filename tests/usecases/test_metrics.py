"""What Prometheus is shown: the books, counted, on a listener that knows one address; and no id, name or secret."""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import replace

import pytest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from structlog.testing import capture_logs

from governor.domain.limits import Scope
from governor.domain.outcome import Outcome, Reply
from governor.domain.processes import ProcessKind
from governor.metrics import listener
from governor.metrics.collector import BooksCollector
from governor.metrics.figures import FIGURES, Told
from governor.metrics.listener import listen
from governor.usecases.freeze import FreezeDraft
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.scraping import Scraper, serving
from tests.stack import PATIENCE_SECONDS, eventually

Values = dict[tuple[str, ...], float]


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def world(new_world: Callable[..., World], provider: FakeProvider) -> World:
    return new_world(provider=provider)


def _listening(world: World) -> AbstractContextManager[Scraper]:
    return serving(BooksCollector(world.app))


def _read(text: str) -> Values:
    """Every value, by its name and labels."""
    return {
        (sample.name, *(sample.labels[label] for label in FIGURES[sample.name].labels)): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def _day_of(world: World, provider: FakeProvider) -> list[str]:
    """One refunded, one in doubt, one queued, one held, one denied; then everything is stopped. Words that are nobody's."""
    limit, agent = world.limit(2000, approval_above=400), world.caller(name="named-agent")
    world.limit(90_000)
    world.drain(world.request(agent, world.payment(5000), 100))
    provider.answer_next(Reply(Outcome.UNKNOWN, "read_timeout"))
    world.drain(world.request(agent, world.payment(5000), 120))
    requests = [world.request(agent, world.payment(5000), amount) for amount in (50, 500, 3000)]
    stop = FreezeDraft(Scope.ENVIRONMENT, None, "looking")
    world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    return [limit.id, agent.credential.id, "named-agent", "looking", *(one.id for one in requests)]


SHOWN = """
    governor_requests_last_day test let_through 3 | governor_requests_last_day test held 1
    governor_requests_last_day test denied 1      | governor_states_last_day test succeeded 1
    governor_calls_last_day test accepted 1       | governor_calls_last_day test unknown 1
    governor_in_doubt test under_15_minutes 1     | governor_in_doubt test over_24_hours 0
    governor_queued test 1                        | governor_for_approval test 1
    governor_processes worker 1                   | governor_processes cron 0
    governor_process_needed cron 1                | governor_process_needed messenger 0
    governor_stopped test frozen 1                | governor_stopped test halted 0
    governor_limit_cap test amount usd day 2000   | governor_limit_taken test amount usd day 770"""
"""Of the two limits the one with less room."""


def test_the_books_are_shown_as_figures(world: World, provider: FakeProvider) -> None:
    private = _day_of(world, provider)
    assert world.app.oversight.alive(ProcessKind.WORKER)()
    world.app.catch_up.events("test")
    with _listening(world) as ask:
        status, text = ask()
    assert status == 200
    values = _read(text)
    for shown in SHOWN.replace("\n", "|").split("|"):
        if words := shown.split():
            assert values[tuple(words[:-1])] == float(words[-1]), shown
    assert 0 <= values["governor_walk_age_seconds", "test", "events"] < 600
    assert values["governor_rows_passed_over", "test"] == 0
    never = {"governor_webhook_age_seconds", "governor_trail_anchor_age_seconds", "governor_trail_broken"}
    assert {name for name, *_ in values} == set(FIGURES) - never, "what never happened has no age"
    assert not [word for word in private if word in text]


def test_a_trail_that_was_found_broken_is_told_as_such(world: World) -> None:
    trail = world.app.audit
    anchor = trail.anchor(world.environment)
    for hash_, broken in (("0" * 64, 1), (anchor.hash, 0)):
        trail.care.verified(trail.verify(world.environment, anchors=[replace(anchor, hash=hash_)]))
        with _listening(world) as ask:
            assert _read(ask()[1])["governor_trail_broken", world.environment] == broken


def test_a_database_that_is_away_is_told_and_nothing_else_is(world: World) -> None:
    with _listening(world) as ask:
        assert _read(ask()[1])["governor_database_up",] == 1
        away = BooksCollector(
            world.another_process(database_url="postgresql+psycopg://nobody@127.0.0.1:1/none")
        )
        found = [(family.name, [sample.value for sample in family.samples]) for family in away.collect()]
    assert found == [("governor_database_up", [0])]


def test_the_listener_knows_one_address_and_one_verb(world: World) -> None:
    with _listening(world) as ask:
        for method, path in (("GET", "/"), ("GET", "/metrics/"), ("GET", "/console"), ("POST", "/metrics")):
            assert ask(method, path) == (404, ""), (method, path)


class _Breaks(Collector):
    """Breaks as what nobody foresaw does."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        raise RuntimeError("postgresql://somebody:secret@host")


def test_what_nobody_foresaw_is_a_500_and_its_text_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    with capture_logs() as logs, serving(_Breaks()) as ask:
        assert ask() == (500, "")
    (line,) = logs
    assert (line["event"], line["error"]) == ("metrics.not_counted", "RuntimeError")
    assert "secret" not in str(logs) + "".join(capfd.readouterr())


def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, the listener turns out nobody who is slow before the test has seen what it looks for."""
    for place, name in ((listener, "WHOLE_SECONDS"), (listener._Quiet, "timeout")):
        monkeypatch.setattr(place, name, 10 * PATIENCE_SECONDS)


def test_a_scraper_that_is_slow_keeps_nobody_else_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _patient(monkeypatch)
    with (
        _listening(world) as ask,
        socket.create_connection((ask.host, ask.port), timeout=PATIENCE_SECONDS) as slow,
        closing(http.client.HTTPConnection(ask.host, ask.port, timeout=PATIENCE_SECONDS)) as quick,
    ):
        slow.sendall(b"GET /metr")
        quick.request("GET", "/")
        assert quick.getresponse().status == 404


def test_more_scrapers_than_there_is_room_for_are_turned_away_until_one_has_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "AT_ONCE", 1)
    _patient(monkeypatch)
    with _listening(world) as ask:
        with socket.create_connection((ask.host, ask.port), timeout=PATIENCE_SECONDS) as slow:
            slow.sendall(b"GET /metr")
            with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
                ask()
        eventually(lambda: _answers(ask))


def test_a_scraper_that_takes_for_ever_is_heard_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "WHOLE_SECONDS", 0.05)
    monkeypatch.setattr(listener._Quiet, "timeout", 10 * PATIENCE_SECONDS)  # its silence does not end it
    with (
        _listening(world) as ask,
        socket.create_connection((ask.host, ask.port), timeout=PATIENCE_SECONDS) as slow,
    ):
        assert slow.recv(1) == b"", "the connection is ended"


@pytest.mark.parametrize("kind", [threading.Thread, threading.Timer])
def test_a_scraper_for_whom_no_thread_can_be_started_keeps_no_room(
    monkeypatch: pytest.MonkeyPatch, kind: type[threading.Thread]
) -> None:
    """Its own thread, or the one that would end it; the next is listened to."""
    start, failed = threading.Thread.start, threading.Event()

    def fails_once(thread: threading.Thread) -> None:
        if type(thread) is kind and not failed.is_set():
            failed.set()
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(listener, "AT_ONCE", 1)
    with capture_logs() as logs, serving(_Breaks()) as ask:
        monkeypatch.setattr(threading.Thread, "start", fails_once)
        with pytest.raises(ConnectionError):
            ask()
        eventually(lambda: _answers(ask))
    assert [(line["event"], line["error"]) for line in logs] == [("metrics.scraper_lost", "RuntimeError")]


def _answers(ask: Scraper) -> bool:
    try:
        return ask("GET", "/")[0] == 404
    except (http.client.RemoteDisconnected, ConnectionError):
        return False


def _lack_of_ipv6() -> int | None:
    """The number of the error with which this machine refuses an IPv6 listener; None where it takes one."""
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return None
    except OSError as error:
        return error.errno


def test_it_listens_on_ipv6_too(world: World) -> None:
    if (lacks := _lack_of_ipv6()) is not None:
        with pytest.raises(OSError, match=f"Errno {lacks}"):
            listen("[::1]:0", BooksCollector(world.app))
        return
    with serving(BooksCollector(world.app), "::1") as ask:
        assert ask()[0] == 200


@pytest.mark.parametrize("bind", ["", "9464", "127.0.0.1", "127.0.0.1:many", ":9464"])
def test_what_is_no_address_is_refused(world: World, bind: str) -> None:
    with pytest.raises(ValueError, match=r"port|Port|host"):
        listen(bind, BooksCollector(world.app))


def test_a_figure_is_told_under_its_own_labels() -> None:
    with pytest.raises(ValueError, match="governor_queued"):
        Told().tell("governor_queued", 1, "test", "more")
