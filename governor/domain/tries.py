"""How often a wrong password may be tried: a few times at once, then slower and slower."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

FORGOTTEN_AFTER = timedelta(hours=1)
"""Tries are forgotten when there was none for so long."""


_FIRST_WAIT = timedelta(seconds=4)


def neighbourhood(address: str) -> str:
    """Whom the tries from an address count for: itself, or of IPv6 its /64, of which one customer has all."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, 64), strict=False))


@dataclass(frozen=True)
class Tries:
    """How many tries were made, none of them right, and when the last one was (UTC)."""

    count: int
    last_at: datetime


@dataclass(frozen=True)
class Allowance:
    """How many tries are free, and how long the next one has to wait at most. Each wait is twice the one before."""

    free: int
    longest_wait: timedelta

    def next_at(self, tries: Tries) -> datetime:
        """When another one is allowed."""
        beyond = tries.count - self.free
        if beyond < 0:
            return tries.last_at
        return tries.last_at + min(_FIRST_WAIT * (1 << min(beyond, 20)), self.longest_wait)


def one_more(tries: Tries, now: datetime) -> Tries:
    """The tries with one at `now`; those before a long pause are forgotten."""
    return Tries(1 if now - tries.last_at > FORGOTTEN_AFTER else tries.count + 1, now)


LOGIN_FROM_ADDRESS = Allowance(free=5, longest_wait=timedelta(minutes=15))
"""One address on one login."""
LOGIN = Allowance(free=20, longest_wait=timedelta(minutes=1))
"""All addresses together on one login. The wait is short: whoever guesses on purpose must not lock its owner out."""
ADDRESS = Allowance(free=50, longest_wait=timedelta(minutes=15))
"""One address on all logins: an office behind one address has many people in it."""
