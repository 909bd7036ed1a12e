"""Where something confidential may be sent."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def private_on_the_way(url: str) -> bool:
    """Whether nobody can read on the way what is sent to this URL: it is https, or goes to this very machine."""
    try:
        parts = urlsplit(url)
        if parts.username is not None or not parts.hostname:
            return False
        if parts.scheme == "https":
            return True
        return parts.scheme == "http" and (
            parts.hostname == "localhost" or ip_address(parts.hostname).is_loopback
        )
    except ValueError:
        return False
