"""Endpoints: where messages go. What may be an address is decided here; whether it is safe to connect, at delivery."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from governor.domain.errors import Invalid, invalid
from governor.domain.messages import TEST, TYPES, Telling

MOST_ENDPOINTS = 20
"""In one environment. Each message is written once for every endpoint that wants it."""
MOST_RECIPIENTS = 10
FAILING_AT_MOST = timedelta(days=5)
"""An endpoint that took nothing for so long is disabled: longer than one message is tried (domain/deliveries)."""
LONGEST_URL = 2048
PORTS = frozenset({443, 8443})
"""What is reached by HTTPS. Every other port is somebody else's service (RELIABILITY §4.7, 148)."""


class EndpointKind(StrEnum):
    """How an endpoint is spoken to: signed JSON, Slack's incoming webhooks, or e-mail."""

    WEBHOOK = "webhook"
    SLACK = "slack"
    EMAIL = "email"


class Disabled(StrEnum):
    """Why an endpoint gets nothing more: it took nothing for days, or said that it is gone."""

    FAILING = "failing"
    GONE = "gone"


@dataclass(frozen=True)
class Endpoint:
    """Where messages of one environment go. Times in UTC.

    `place` is what may be shown of its target to everybody: a host. `types` are the types of messages it wants, none
    of them meaning all. `failing_since`: since when it took nothing.
    """

    environment: str
    id: str
    kind: EndpointKind
    place: str
    types: tuple[str, ...]
    description: str | None
    created_at: datetime
    told_since: datetime
    """It is told what happens from then on: since it was made, or enabled again."""
    rotated_at: datetime | None = None
    previous_until: datetime | None = None
    """Until when a message is signed with the secret before the last rotation, too."""
    failing_since: datetime | None = None
    disabled_at: datetime | None = None
    disabled_reason: Disabled | None = None
    deleted_at: datetime | None = None

    def wants(self, telling: Telling, at: datetime) -> bool:
        """Whether it gets this message of something that happened then."""
        if self.disabled_at is not None or self.deleted_at is not None or at < self.told_since:
            return False
        if telling.type == TEST:
            return telling.object == self.id
        return not self.types or telling.type in self.types

    def seat(self, what: str) -> str:
        """Where a sealed part of it belongs: its seal holds nowhere else."""
        return f"{self.environment}/{self.id}/{what}"


@dataclass(frozen=True)
class WebAddress:
    """Where an HTTP call goes. `host` is a lower-case DNS name, or this machine's loopback in development."""

    scheme: str
    host: str
    port: int
    path: str


_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?:{_LABEL}\.)+(?!(?:0x[0-9a-f]*|[0-9]+)$){_LABEL}")
"""A DNS name of two labels or more whose last is no number: such a name is an address to some readers."""
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_LOOPBACK = frozenset({"localhost", "127.0.0.1"})
_MAILBOX = re.compile(
    rf"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@(?:{_LABEL}\.)+[a-z]{{2,63}}", re.IGNORECASE
)


@dataclass(frozen=True)
class Reach:
    """Where messages may go at all: below one of these names, or anywhere when none are given.

    With `loopback`, for development, HTTP and any port of this machine will do, too.
    """

    loopback: bool = False
    hosts: tuple[str, ...] = ()

    def allows(self, host: str) -> bool:
        """Whether a DNS name is one of the names, or below one."""
        return not self.hosts or any(host == one or host.endswith(f".{one}") for one in self.hosts)


def web_address(url: str, reach: Reach) -> WebAddress:
    """The parts of an endpoint's URL.

    Raises:
        Invalid: it is none that messages may go to; numbers are no names, in whatever spelling.
    """
    if len(url) > LONGEST_URL or not _VISIBLE.fullmatch(url) or "\\" in url or "#" in url:
        raise _refused("it is one line of visible ASCII, without a fragment")
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise _refused("it is no URL") from None
    if "@" in parts.netloc or parts.netloc.endswith(":"):
        raise _refused("it names a user, or no port behind its colon")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if reach.loopback and host in _LOOPBACK and parts.scheme == "http":
        return WebAddress("http", "127.0.0.1", 80 if port is None else port, path)
    if parts.scheme != "https":
        raise _refused("it begins with https://")
    if not _NAME.fullmatch(host) or len(host) > 253:
        raise _refused("its host is a DNS name, not an address")
    if not reach.allows(host):
        raise _refused("its host is not among those that endpoints may be at here")
    port = 443 if port is None else port
    if port not in PORTS:
        raise _refused(f"its port is one of {', '.join(map(str, sorted(PORTS)))}")
    return WebAddress("https", host, port, path)


def mailboxes(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """E-mail addresses that messages may go to.

    Raises:
        Invalid: one of them cannot be used, or there are none or too many.
    """
    if not 1 <= len(addresses) <= MOST_RECIPIENTS:
        raise invalid("/to", "to_invalid", f"An e-mail goes to 1 to {MOST_RECIPIENTS} addresses.")
    if not all(len(one) <= 254 and _MAILBOX.fullmatch(one) for one in addresses):
        raise invalid("/to", "to_invalid", "One of them is no e-mail address.")
    return addresses


def signing_secret(random: str) -> str:
    """The secret of a webhook in the form of Standard Webhooks, from 43 random characters."""
    return f"whsec_{b64encode(random.encode()).decode()}"


def message_types(types: tuple[str, ...]) -> tuple[str, ...]:
    """The types an endpoint wants, each once and in order.

    Raises:
        Invalid: there is no such type of message.
    """
    if not TYPES.issuperset(types):
        raise invalid("/types", "type_unknown", "There is no such type of message.")
    return tuple(sorted(set(types)))


def _refused(why: str) -> Invalid:
    return invalid("/url", "url_refused", f"The URL cannot be used: {why}.")
