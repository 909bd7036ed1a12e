"""The program itself: start, stop, its address, its state file and its sockets."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.sandbox.receiver import Receiver
from tests.stack import PATIENCE_SECONDS, PROJECT
from tests.twin import UNTIL_FORGOTTEN, Twin

HEADERS = {"Authorization": "Bearer sk_test_anything", "Idempotency-Key": "k"}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "twin.sqlite"


@pytest.fixture
def own_twin() -> Iterator[Twin]:
    with Twin() as twin:
        yield twin


def run_to_its_end(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "adapters.sandbox", *arguments]
    return subprocess.run(
        command, cwd=PROJECT, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )


def refund(twin: Twin, payment: str) -> requests.Response:
    form = {"payment_intent": payment, "amount": "700"}
    return requests.post(f"{twin.url}/v1/refunds", data=form, headers=HEADERS, timeout=PATIENCE_SECONDS)


def test_the_world_survives_a_sigkill(state: Path) -> None:
    with Twin(state) as first:
        payment = first.payment(card="pm_card_pendingRefund")
        made = refund(first, payment).json()
        first.advance(20)
        first.kill()
    with Twin(state) as second:
        replayed = refund(second, payment)
        assert (replayed.json(), replayed.headers["Idempotent-Replayed"]) == (made, "true")
        [write] = second.writes(payment)
        assert (write["id"], write["http_calls"], write["replays"]) == (made["id"], 2, 1)
        second.advance(20)  # the clock went on from where it was, and the late outcome was not forgotten
        assert second.writes(payment)[0]["status"] == "succeeded"
        remainder = refund_rest(second, payment)
        assert remainder.json()["amount"] == 4300


def refund_rest(twin: Twin, payment: str) -> requests.Response:
    headers = {"Authorization": HEADERS["Authorization"]}
    form = {"payment_intent": payment}
    return requests.post(f"{twin.url}/v1/refunds", data=form, headers=headers, timeout=PATIENCE_SECONDS)


def test_what_was_not_delivered_before_a_sigkill_is_delivered_after_it(state: Path) -> None:
    with Receiver() as receiver:
        with Twin(state) as first:
            form = {"url": receiver.url, "enabled_events[]": "refund.created"}
            made = requests.post(
                f"{first.url}/v1/webhook_endpoints", data=form, headers=HEADERS, timeout=PATIENCE_SECONDS
            )
            first.webhooks("withhold")
            first.dashboard_refund(first.payment(), 700)
            first.kill()
        assert receiver.count == 0
        with Twin(state):
            [event] = receiver.events(1, made.json()["secret"])
        assert event["type"] == "refund.created"


def test_a_reset_empties_the_state_file_too(state: Path) -> None:
    with Twin(state) as first:
        payment = first.payment()
        first.reset()
    with Twin(state) as second:
        assert second.order("GET", "/writes") == {"writes": []}
        with pytest.raises(AssertionError, match="there is no payment"):
            second.dashboard_refund(payment, 100)


def test_a_state_file_has_one_owner(state: Path) -> None:
    with Twin(state):
        second = run_to_its_end("--port", "0", "--state", str(state))
    assert second.returncode == 1
    assert "cannot start" in second.stderr


def test_a_taken_port_is_said_and_not_hidden(own_twin: Twin) -> None:
    second = run_to_its_end("--port", str(own_twin.port))
    assert (second.returncode, second.stdout) == (1, "")
    assert "cannot start" in second.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])  # noqa: S104 - must be refused
def test_only_loopback_is_served(host: str) -> None:
    ended = run_to_its_end("--host", host, "--port", "0")
    assert ended.returncode == 2
    assert "--host must be one of" in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_at_once_even_while_calls_wait(own_twin: Twin, number: signal.Signals) -> None:
    payment = own_twin.payment()
    own_twin.fault("delay_before", method="POST", delay_ms=UNTIL_FORGOTTEN)
    with socket.create_connection(("127.0.0.1", own_twin.port)) as waiting:
        waiting.sendall(
            b"POST /v1/refunds HTTP/1.1\r\nAuthorization: Bearer sk_test_a\r\nContent-Length: "
            + f"{len(payment) + 15}\r\n\r\npayment_intent={payment}".encode()
        )
        own_twin.until(lambda: len(own_twin.calls()) == 1)
        os.kill(own_twin.process.pid, number)
        assert own_twin.process.wait(PATIENCE_SECONDS) == 0
        waiting.settimeout(PATIENCE_SECONDS)
        assert waiting.recv(100) == b""


def test_it_prints_one_line_with_its_url(own_twin: Twin) -> None:
    assert own_twin.output() == f"sandbox: {own_twin.url}\n"
    health = requests.get(f"{own_twin.url}/_sandbox/health", timeout=PATIENCE_SECONDS)
    assert (health.status_code, health.json()) == (200, {"status": "ok"})


def test_it_imports_nothing_of_governor() -> None:
    code = (
        "import sys, adapters.sandbox.program;"
        "print([name for name in sys.modules if name.split('.')[0] in {'governor', 'workers', 'stripe', 'flask'}"
        " or name.startswith('adapters.') and not name.startswith('adapters.sandbox')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[]\n"


def exchange(twin: Twin, sent: bytes) -> bytes:
    """Raw bytes there and back, until the twin closes the connection."""
    with socket.create_connection(("127.0.0.1", twin.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(sent)
        received = b""
        while part := connection.recv(65_536):
            received += part
        return received


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /v1/refunds HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST /v1/refunds HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
        b"POST /v1/refunds HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_bytes_that_are_no_request_are_answered_with_400(twin: Twin, sent: bytes) -> None:
    assert exchange(twin, sent).startswith(b"HTTP/1.1 400 ")


def test_half_a_request_is_not_executed(twin: Twin) -> None:
    payment = twin.payment()
    body = f"payment_intent={payment}".encode()
    head = b"POST /v1/refunds HTTP/1.1\r\nAuthorization: Bearer sk_test_a\r\nContent-Length: %d\r\n\r\n"
    with socket.create_connection(("127.0.0.1", twin.port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(head % len(body) + body[:-1])
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert (twin.calls(), twin.writes(payment)) == ([], [])


@pytest.mark.parametrize(
    ("kind", "received"),
    [("reset_before", ConnectionResetError), ("drop_before", None), ("drop_after", None)],
)
def test_a_reset_is_a_reset_and_a_drop_is_an_orderly_end(
    twin: Twin, kind: str, received: type[Exception] | None
) -> None:
    twin.fault(kind)
    sent = b"GET /v1/balance HTTP/1.1\r\nAuthorization: Bearer sk_test_a\r\n\r\n"
    if received is None:
        assert exchange(twin, sent) == b""
    else:
        with pytest.raises(received):
            exchange(twin, sent)


def test_a_truncated_answer_promises_more_than_it_sends(twin: Twin) -> None:
    twin.fault("truncate_body")
    head, _, body = exchange(
        twin, b"GET /v1/balance HTTP/1.1\r\nAuthorization: Bearer sk_test_a\r\n\r\n"
    ).partition(b"\r\n\r\n")
    promised = int(head.rpartition(b"Content-Length: ")[2])
    assert 0 < len(body) < promised


def test_a_connection_is_kept_and_closed_on_request(twin: Twin) -> None:
    read = b"GET /v1/balance HTTP/1.1\r\nAuthorization: Bearer sk_test_a\r\n"
    answers = exchange(twin, (read + b"\r\n") * 2 + read + b"Connection: close\r\n\r\n")
    assert answers.count(b"HTTP/1.1 200 OK") == 3
