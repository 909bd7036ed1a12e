import socket
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from threading import Event, Thread

import pytest

from tests.stack import PATIENCE_SECONDS, eventually, web_server

THREADS = 4
HALF_A_REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """One worker with few threads behind the settings that `governor up` uses."""
    with web_server("tests.web_server.echo:application", "--threads", str(THREADS)) as number:
        assert _ask(number) == b"hello"
        yield number


def _ask(port: int) -> bytes:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("POST", "/", b"hello")
        return connection.getresponse().read()
    finally:
        connection.close()


def _clients(stack: ExitStack, port: int, count: int) -> list[socket.socket]:
    return [
        stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS))
        for _ in range(count)
    ]


def _is_closed(client: socket.socket) -> bool:
    """Waits for the other side to close, in order or with a reset because bytes were still arriving."""
    try:
        return client.recv(1000) == b""
    except ConnectionResetError:
        return True


def _is_open(client: socket.socket) -> bool:
    """Whether the other side has not closed it yet, whatever it has answered."""
    client.setblocking(False)
    try:
        return client.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


def _cost_no_thread(port: int, sent: list[bytes]) -> None:
    """Somebody is served while all of these clients are waited for.

    On a slow machine some may have been given up before, which proves nothing; then they come again.
    """

    def served_meanwhile() -> bool:
        with ExitStack() as stack:
            clients = _clients(stack, port, len(sent))
            for client, words in zip(clients, sent, strict=True):
                client.sendall(words)
            assert _ask(port) == b"hello"
            return all(map(_is_open, clients))

    eventually(served_meanwhile)


def test_silent_connections_cost_no_thread(port: int) -> None:
    _cost_no_thread(port, [b""] * 300)


def test_half_sent_bodies_cost_no_thread(port: int) -> None:
    _cost_no_thread(port, [HALF_A_REQUEST] * (3 * THREADS))


def test_half_sent_bodies_are_given_up(port: int) -> None:
    with ExitStack() as stack:
        clients = _clients(stack, port, 3 * THREADS)
        for client in clients:
            client.sendall(HALF_A_REQUEST)
        for client in clients:
            assert client.recv(1000) == b""


def test_half_sent_webhooks_cost_no_thread_either(port: int) -> None:
    """A webhook's body may be larger than any other, and its sender may be anybody."""
    head = b"POST /webhooks/stripe/test HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
    _cost_no_thread(port, [head + b"x" * 200_000] * (3 * THREADS))


def test_a_large_webhook_arrives_whole(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("POST", "/webhooks/stripe/test", b"x" * 1_000_000)
        assert connection.getresponse().read() == b"x" * 1_000_000
    finally:
        connection.close()


def test_half_sent_requests_without_an_announced_length_cost_no_thread(port: int) -> None:
    chunked = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"
    expecting = b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"
    _cost_no_thread(port, [chunked, expecting] * (3 * THREADS))


def test_a_request_that_drips_is_closed_however_steadily_it_drips(port: int) -> None:
    with ExitStack() as stack:
        clients = _clients(stack, port, THREADS)
        enough = Event()

        def drip(client: socket.socket) -> None:
            try:
                client.sendall(b"POST / HTTP/1.1\r\nX: ")
                while not enough.wait(0.2):
                    client.sendall(b"a")
            except OSError:
                return

        drippers = [Thread(target=drip, args=[client]) for client in clients]
        for dripper in drippers:
            dripper.start()
        try:
            for client in clients:
                assert _is_closed(client)
            assert _ask(port) == b"hello"
        finally:
            enough.set()
            for dripper in drippers:
                dripper.join()


def _served_and_there(stack: ExitStack, port: int, count: int) -> None:
    """So many clients have got their last answer, and do not hang up."""
    for client in _clients(stack, port, count):
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")


def test_clients_that_do_not_hang_up_give_their_threads_back(port: int) -> None:
    with ExitStack() as stack:
        _served_and_there(stack, port, 3 * THREADS)
        assert _ask(port) == b"hello"


def test_clients_that_do_not_hang_up_delay_nobody() -> None:
    """They are waited for longer than this test waits; the one thread that is left serves everybody meanwhile."""
    served = web_server("tests.web_server.lingering:application", "--threads", str(THREADS))
    with served as port, ExitStack() as stack:
        _served_and_there(stack, port, THREADS - 1)
        assert _ask(port) == b"hello"


def test_a_kept_connection_gets_a_new_deadline_for_each_request(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        for number in range(3):
            connection.request("POST", "/", f"hello {number}".encode())
            assert connection.getresponse().read() == f"hello {number}".encode()
    finally:
        connection.close()


def test_pipelined_requests_are_all_answered(port: int) -> None:
    with ExitStack() as stack:
        (client,) = _clients(stack, port, 1)
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none" * 2)
        answers = b""
        while answers.count(b"one") < 2:
            received = client.recv(4000)
            assert received
            answers += received
        assert answers.count(b"200 OK") == 2


def test_a_client_that_waits_for_leave_to_send_its_body_gets_it(port: int) -> None:
    with ExitStack() as stack:
        (client,) = _clients(stack, port, 1)
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"hello")
        answer = b""
        while b"hello" not in answer:
            received = client.recv(1000)
            assert received
            answer += received
        assert b"HTTP/1.1 200 OK" in answer


def test_a_chunked_body_in_pieces_is_put_together(port: int) -> None:
    with ExitStack() as stack:
        (client,) = _clients(stack, port, 1)
        head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        for piece in (head, b"3\r\nhel\r\n", b"2\r\nlo\r\n", b"0\r\n\r\n"):
            client.sendall(piece)
        assert client.makefile("rb").read().endswith(b"\r\n\r\nhello")


def test_a_body_larger_than_what_is_collected_still_arrives(port: int) -> None:
    body = b"x" * 300_000
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("POST", "/", body)
        assert connection.getresponse().read() == body
    finally:
        connection.close()


def test_a_client_that_hangs_up_in_the_middle_is_no_matter(port: int) -> None:
    with ExitStack() as stack:
        (client,) = _clients(stack, port, 1)
        client.sendall(HALF_A_REQUEST)
    assert _ask(port) == b"hello"
