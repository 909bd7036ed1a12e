"""E-mail, over SMTP with STARTTLS."""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Literal

from adapters.outbound.pinned import system_authorities
from governor.domain.deliveries import Receipt
from governor.ports.couriers import Letter

CALL_SECONDS = 20.0
"""For everything together. A mail server may take its time to greet."""

_UNFOLDED = SMTP.clone(max_line_length=900)
"""A subject stands on one line; only what is longer than a mail's lines may be is folded."""

Security = Literal["starttls", "tls", "none"]


@dataclass(frozen=True)
class MailServer:
    """Where mail is handed in. `sender` stands in From; `security` is none only towards this machine."""

    host: str
    port: int
    sender: str
    security: Security
    user: str | None = None
    password: str | None = None
    seconds: float = CALL_SECONDS
    tls: Callable[[], ssl.SSLContext] = system_authorities


@dataclass(frozen=True)
class MailCourier:
    """Hands one mail in for all addresses of an endpoint; taken for one of them is taken."""

    server: MailServer

    def __call__(self, letter: Letter) -> Receipt:
        """Carry the message in words."""
        begun = time.monotonic()
        status, error = None, None
        try:
            self._hand_in(letter)
        except smtplib.SMTPResponseException as refused:
            status, error = refused.smtp_code, "mail_refused"
        except smtplib.SMTPRecipientsRefused:
            error = "recipients_refused"
        except (TimeoutError, smtplib.SMTPServerDisconnected):
            late = time.monotonic() - begun >= self.server.seconds
            error = "timed_out" if late else "connection_lost"
        except ssl.SSLError:
            error = "tls_failed"
        except smtplib.SMTPException:
            error = "mail_refused"
        except OSError:
            error = "connection_failed"
        return Receipt(status, error, int((time.monotonic() - begun) * 1000))

    def _hand_in(self, letter: Letter) -> None:
        server, session = self.server, self._greeted()
        # Each of its waits has a limit of its own; this one ends all of them.
        over = threading.Timer(server.seconds, _hang_up, (session,))
        over.daemon = True
        over.start()
        try:
            if server.security == "starttls":
                session.starttls(context=server.tls())
            if server.user is not None:
                session.login(server.user, server.password or "")
            session.send_message(_mail(letter, server.sender))
            with suppress(smtplib.SMTPException, OSError):  # it is handed in, however they part
                session.quit()
        finally:
            over.cancel()
            session.close()

    def _greeted(self) -> smtplib.SMTP:
        """A connection to the server. It says our mail domain, and does not look for this machine's own name."""
        server, ours = self.server, self.server.sender.rpartition("@")[2]
        if server.security == "tls":
            return smtplib.SMTP_SSL(
                server.host, server.port, ours, timeout=server.seconds, context=server.tls()
            )
        return smtplib.SMTP(server.host, server.port, ours, timeout=server.seconds)


def _hang_up(session: smtplib.SMTP) -> None:
    if session.sock is not None:
        with suppress(OSError):  # it may have gone already
            session.sock.shutdown(socket.SHUT_RDWR)


def _mail(letter: Letter, sender: str) -> EmailMessage:
    """The same message is the same mail, however often it is handed in: its id says so."""
    mail = EmailMessage(_UNFOLDED)
    mail["From"], mail["To"] = sender, letter.target.replace(",", ", ")
    mail["Subject"] = f"[governor] {letter.words.subject}"
    mail["Date"] = format_datetime(letter.message.at)
    mail["Message-ID"] = f"<{letter.message.id}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(letter.words.text)
    return mail
