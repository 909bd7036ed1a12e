"""Whoever stands where the provider should stand gets no word of ours, and proves nothing. RELIABILITY §5.2 T19."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from governor.domain.outcome import Outcome
from tests.certificates import Authority
from tests.stack import PATIENCE_SECONDS, nobody
from tests.stripe.bodies import ORDER, provider_at


class Impostor:
    """A server of the right name, by an authority that nobody believes. `heard` is what it could read of ours."""

    def __init__(self, certified: ssl.SSLContext) -> None:
        self._certified, self.heard, self.called = certified, bytearray(), 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.called += 1
            with connection:
                connection.settimeout(PATIENCE_SECONDS)
                try:
                    with self._certified.wrap_socket(connection, server_side=True) as speaking:
                        self.heard += speaking.recv(65536)
                except OSError:
                    continue  # The greeting was broken off, as it should be.

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=PATIENCE_SECONDS)


@pytest.fixture
def impostor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Impostor]:
    """And whatever an environment of processes can say in its favour is said."""
    authority = Authority(tmp_path)
    running = Impostor(authority.server_for("localhost"))
    believed = tmp_path / "believed.pem"
    believed.write_text((tmp_path / "localhost.pem").read_text())
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(believed))
    yield running
    running.close()


@pytest.mark.parametrize(("first", "outcome"), [(True, Outcome.NOT_EXECUTED), (False, Outcome.UNKNOWN)])
def test_a_server_that_nobody_vouches_for_hears_nothing(
    impostor: Impostor, *, first: bool, outcome: Outcome
) -> None:
    """A first call did not leave, so it may leave later; that a replay did not says nothing of what the first did."""
    provider = provider_at(f"https://localhost:{impostor.port}", connect_seconds=PATIENCE_SECONDS)
    answer = provider.create_refund(ORDER, first=first, deadline_seconds=PATIENCE_SECONDS)
    assert (answer.outcome, answer.reason) == (outcome, "not_sent")
    assert (impostor.called, bytes(impostor.heard)) == (1, b"")


def test_a_proxy_that_somebody_sets_around_us_is_not_asked(
    impostor: Impostor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{impostor.port}")
    with nobody() as port:
        provider = provider_at(f"https://127.0.0.1:{port}")
        answer = provider.create_refund(ORDER, first=True, deadline_seconds=PATIENCE_SECONDS)
    assert (answer.outcome, answer.reason) == (Outcome.NOT_EXECUTED, "not_sent")
    assert impostor.called == 0
