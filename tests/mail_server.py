"""A mail server on this machine that keeps what it is handed, and refuses what a test wants refused.

with MailServerHere(tls=context) as server:
    server.refuses = {"RCPT": "550 nobody of that name"}
    server.mails[0].text
"""

from __future__ import annotations

import socket
import ssl
import threading
from dataclasses import dataclass, field
from email import message_from_string, policy
from email.message import Message
from types import TracebackType
from typing import Self, TextIO

from tests.stack import PATIENCE_SECONDS


@dataclass(frozen=True)
class Mail:
    """One mail as it was handed in: over TLS or not, by whom it was said to be, and for whom."""

    secure: bool
    sender: str
    recipients: tuple[str, ...]
    message: Message


@dataclass
class MailServerHere:
    """Speaks SMTP with one client at a time; with `tls`, STARTTLS is offered."""

    tls: ssl.SSLContext | None = None
    refuses: dict[str, str] = field(default_factory=dict)
    """Command → what is answered instead."""
    greets: bool = True
    mails: list[Mail] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._accept, name="mail server")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive(), "a session with the mail server does not end"

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.settimeout(PATIENCE_SECONDS)
            try:
                self._session(sock)
            except OSError:
                pass  # the client has hung up, as it may
            finally:
                sock.close()

    def _session(self, sock: socket.socket) -> None:
        if not self.greets:
            sock.recv(1)
            return
        sock.sendall(b"220 here\r\n")
        secure = self._talk(sock, secure=False)
        if secure is not None:
            with secure:
                self._talk(secure, secure=True)

    def _talk(self, sock: socket.socket, *, secure: bool) -> ssl.SSLSocket | None:
        """Until the client goes, or wants TLS: then with what to go on."""
        sender, recipients = "", list[str]()
        with sock.makefile("r", encoding="utf-8", newline="\r\n") as lines:
            for line in lines:
                word, said = line[:4].upper(), line.strip()
                if word in self.refuses:
                    answer = self.refuses[word]
                elif word == "EHLO":
                    answer = "250-here\r\n250 STARTTLS" if self.tls and not secure else "250 here"
                elif word == "STAR" and self.tls is not None:
                    sock.sendall(b"220 go on\r\n")
                    return self.tls.wrap_socket(sock, server_side=True)
                elif word == "DATA":
                    sock.sendall(b"354 say it\r\n")
                    self.mails.append(Mail(secure, sender, tuple(recipients), _mail(lines)))
                    answer = "250 taken"
                else:
                    sender = said.partition("<")[2].partition(">")[0] if word == "MAIL" else sender
                    recipients += [said.partition("<")[2].partition(">")[0]] if word == "RCPT" else []
                    answer = "221 bye" if word == "QUIT" else "250 fine"
                sock.sendall(f"{answer}\r\n".encode())
        return None


def _mail(lines: TextIO) -> Message:
    """What is said up to the line with only a point."""
    said = []
    for line in lines:
        if line == ".\r\n":
            break
        said.append(line.removeprefix(".") if line.startswith("..") else line)
    return message_from_string("".join(said), policy=policy.default)
