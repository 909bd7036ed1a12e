"""One call to somebody else's server, which does its worst: slow, huge, elsewhere, unreadable, gone.

RELIABILITY K5, T20 and §4.7, 150 and 151. The name server is the test's own; so is every other machine.
"""

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.outbound.pinned import NotCarriedError, PinnedCaller
from governor.domain.endpoints import Reach, WebAddress
from tests.certificates import Authority
from tests.receiver import Answer, Receiver, status
from tests.stack import PATIENCE_SECONDS, nobody

HOST = "hooks.example.com"
PUBLIC = "203.0.114.7"


def here(receiver: Receiver) -> WebAddress:
    return WebAddress("http", "127.0.0.1", receiver.port, "/hook")


def there(port: int = 443) -> WebAddress:
    return WebAddress("https", HOST, port, "/hook?x=1")


def posted(caller: PinnedCaller, address: WebAddress) -> int | str:
    """The status, or the word for why there is none."""
    try:
        return caller.post(address, {"Content-Type": "application/json"}, b"{}")
    except NotCarriedError as lost:
        return lost.code


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def secure(authority: Authority) -> Iterator[Receiver]:
    """A server that speaks HTTPS under the name."""
    with Receiver(tls=authority.server_for(HOST)) as running:
        yield running


def routed_to(receiver: Receiver) -> tuple[Callable[[tuple[str, int], float], socket.socket], list[str]]:
    """Connections to the public address end at a receiver here; the list is of all that was connected to."""
    tried = list[str]()

    def connect(address: tuple[str, int], seconds: float) -> socket.socket:
        tried.append(address[0])
        assert address[0] == PUBLIC, "only what was checked is connected to"
        return socket.create_connection(("127.0.0.1", receiver.port), seconds)

    return connect, tried


def answering(*answers: list[str]) -> tuple[Callable[[str, int, float], list[tuple[str, int]]], list[str]]:
    """A name server that gives these answers one after the other, and what it was asked."""
    left, asked = list(answers), list[str]()

    def look_up(host: str, port: int, seconds: float) -> list[tuple[str, int]]:
        assert seconds > 0
        asked.append(host)
        return [(one, port) for one in left.pop(0)]

    return look_up, asked


def test_the_address_that_was_checked_is_the_one_connected_to(authority: Authority, secure: Receiver) -> None:
    """150: a name that answers with ours the second time is not asked a second time."""
    connect, tried = routed_to(secure)
    look_up, asked = answering([PUBLIC], ["127.0.0.1"])
    caller = PinnedCaller(look_up=look_up, connect=connect, tls=authority.trusted)
    assert posted(caller, there()) == 200
    assert (tried, asked) == ([PUBLIC], [HOST])
    (call,) = secure.calls
    assert (call.target, call.headers["host"]) == ("/hook?x=1", HOST)
    assert posted(caller, there()) == "address_refused", "asked anew for the next call, and refused"
    assert (tried, len(secure.calls)) == ([PUBLIC], 1)


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"], []]
)
def test_a_name_that_leads_to_us_even_among_others_is_not_called(
    secure: Receiver, addresses: list[str]
) -> None:
    connect, tried = routed_to(secure)
    look_up, _ = answering(addresses)
    assert posted(PinnedCaller(look_up=look_up, connect=connect), there()) == "address_refused"
    assert tried == []


def test_a_certificate_of_another_name_or_authority_is_refused(authority: Authority, tmp_path: Path) -> None:
    for tls in (authority.server_for("other.example.com"), Authority(tmp_path).server_for(HOST)):
        with Receiver(tls=tls) as stranger:
            look_up, connect = answering([PUBLIC])[0], routed_to(stranger)[0]
            caller = PinnedCaller(look_up=look_up, connect=connect, tls=authority.trusted)
            assert posted(caller, there()) == "tls_failed"
            assert stranger.calls == [], "nothing was said to it"


def test_http_is_spoken_to_this_machine_alone_and_only_where_that_is_allowed(receiver: Receiver) -> None:
    assert posted(PinnedCaller(Reach(loopback=True)), here(receiver)) == 200
    assert posted(PinnedCaller(), here(receiver)) == "address_refused"
    assert len(receiver.calls) == 1


def test_a_redirect_is_an_answer_and_is_not_followed(receiver: Receiver) -> None:
    """151"""
    receiver.answers = status(307, "Location: http://169.254.169.254/latest/meta-data")
    assert posted(PinnedCaller(Reach(loopback=True)), here(receiver)) == 307
    assert receiver.connections == 1


def test_no_proxy_of_the_environment_is_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert posted(PinnedCaller(Reach(loopback=True)), here(receiver)) == 200


def _drips(word: bytes) -> Answer:
    """A byte at a time, for ever."""

    def answer(sock: socket.socket) -> None:
        while True:
            sock.sendall(word)
            time.sleep(0.05)

    return answer


def _resets(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    sock.close()


def _says(words: bytes) -> Answer:
    return lambda sock: sock.sendall(words)


def _floods(sock: socket.socket) -> None:
    while True:
        sock.sendall(b"X: " + b"y" * 60_000 + b"\r\n")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (_drips(b"H"), "timed_out"),
        (_says(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"), 200),
        (_says(b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 204 Done\r\n\r\n"), 204),
        (_says(b"HTTP/1.1 200 OK\r\n"), "answer_unreadable"),
        (_says(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "answer_unreadable"),
        (_says(b"HTTP/1.1 2000 OK\r\n\r\n"), "answer_unreadable"),
        (_says(b""), "connection_lost"),
        (_resets, "connection_lost"),
        (_floods, "answer_unreadable"),
    ],
)
def test_whatever_the_other_side_does_the_call_ends_with_a_word(
    receiver: Receiver, answer: Answer, expected: int | str
) -> None:
    """A body is never read, so neither its size nor its pace matters."""
    receiver.answers = answer
    # What drips does so for ever: that the call ends shows that its time is for everything together.
    seconds = 1.0 if expected == "timed_out" else PATIENCE_SECONDS
    assert posted(PinnedCaller(Reach(loopback=True), seconds=seconds), here(receiver)) == expected


def test_nobody_there_and_no_such_name_are_told_apart() -> None:
    with nobody() as port:
        address = WebAddress("http", "127.0.0.1", port, "/")
        assert posted(PinnedCaller(Reach(loopback=True)), address) == "connection_failed"

    def unknown(_host: str, _port: int, _seconds: float) -> list[tuple[str, int]]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    def late(_host: str, _port: int, _seconds: float) -> list[tuple[str, int]]:
        raise socket.gaierror(socket.EAI_AGAIN, "late")

    assert posted(PinnedCaller(look_up=unknown), there()) == "name_not_found"
    assert posted(PinnedCaller(look_up=late), there()) == "timed_out"
