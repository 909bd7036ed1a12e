"""Rows 15, 31 to 34: what is no reply at all, and that the SDK's retries cannot happen."""

from __future__ import annotations

import signal
import threading
from types import FrameType

import pytest
import stripe

from adapters.stripe.client import DeadlineClient, SecondWriteError
from adapters.stripe.outcomes import classify_failure
from adapters.stripe.wire import Call, call_within
from governor.domain.outcome import Alarm, Outcome
from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import ORDER, STRIPE_SAYS, provider_at, refund
from tests.stripe.scripted import Connection, ScriptedServer, Step, reply

OK = reply(200, refund(), STRIPE_SAYS)


def signalling(number: signal.Signals) -> Step:
    """While the caller waits for its reply, a signal arrives in its thread."""

    def step(connection: Connection) -> bool:
        signal.pthread_kill(threading.main_thread().ident or 0, number)
        connection.stopped.wait()
        return False

    return step


class JobTimedOut(Exception):
    pass


def time_out(_number: int, _frame: FrameType | None) -> None:
    raise JobTimedOut


def test_a_job_runner_that_interrupts_the_call_leaves_it_unknown() -> None:
    usual = signal.signal(signal.SIGUSR1, time_out)
    try:
        with ScriptedServer(signalling(signal.SIGUSR1)) as server:
            answer = provider_at(server.url).create_refund(
                ORDER, first=True, deadline_seconds=PATIENCE_SECONDS
            )
    finally:
        signal.signal(signal.SIGUSR1, usual)
    assert (answer.outcome, answer.reason) == (Outcome.UNKNOWN, "connection_lost")


def test_who_stops_the_process_stops_it() -> None:
    # A shell that starts this in the background lets it ignore Ctrl-C.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    with ScriptedServer(signalling(signal.SIGINT), OK) as server:
        provider = provider_at(server.url)
        try:
            with pytest.raises(KeyboardInterrupt):
                provider.create_refund(ORDER, first=True, deadline_seconds=PATIENCE_SECONDS)
        finally:
            signal.signal(signal.SIGINT, usual)
        after = provider.create_refund(ORDER, first=False, deadline_seconds=PATIENCE_SECONDS)
    assert after.outcome is Outcome.ACCEPTED


@pytest.mark.parametrize(("first", "outcome"), [(True, Outcome.NOT_EXECUTED), (False, Outcome.UNKNOWN)])
def test_the_sdk_refusing_to_send_without_a_key_is_no_call(first: bool, outcome: Outcome) -> None:
    error = stripe.AuthenticationError("No API key provided.")
    answer = classify_failure(Call(0.0, 0.0), error, first=first)
    assert (answer.outcome, answer.alarm) == (outcome, Alarm.PAUSE_ENVIRONMENT)


@pytest.mark.parametrize(
    "error", [ValueError("x"), TypeError("x"), RuntimeError("x"), MemoryError(), OSError()]
)
def test_an_exception_nobody_thought_of_is_unknown(error: Exception) -> None:
    answer = classify_failure(Call(0.0, 0.0), error, first=True)
    assert (answer.outcome, answer.reason) == (Outcome.UNKNOWN, "call_failed")


def test_a_second_write_within_one_call_is_never_made() -> None:
    client = DeadlineClient()
    with ScriptedServer(OK) as server, call_within(PATIENCE_SECONDS, connect_seconds=PATIENCE_SECONDS):
        client.request("post", server.url, {}, "a=1")
        with pytest.raises(stripe.APIConnectionError) as refusal:
            client.request("post", server.url, {}, "a=1")
    assert isinstance(refusal.value.__cause__, SecondWriteError)
    assert len(server.requests) == 1


def test_nothing_is_sent_without_a_deadline() -> None:
    with ScriptedServer(OK) as server, pytest.raises(stripe.APIConnectionError) as refusal:
        DeadlineClient().request("get", server.url, {})
    assert isinstance(refusal.value.__cause__, LookupError)
    assert server.requests == []
