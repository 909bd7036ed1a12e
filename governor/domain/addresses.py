"""Which internet addresses messages may be carried to: those of everybody, and none of ours (RELIABILITY §5.2 T20)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_GLOBAL_V6 = IPv6Network("2000::/3")
"""All that is assigned for everybody. Everything else is local, or carries an IPv4 address (::ffff:0:0/96, 64:ff9b::/96)."""

_NOT_FOR_US: tuple[IPv4Network | IPv6Network, ...] = (
    IPv4Network("0.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("168.63.129.16/32"),
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv4Network("198.18.0.0/15"),
    IPv4Network("224.0.0.0/3"),
    IPv6Network("2001::/23"),
    IPv6Network("2002::/16"),
    IPv6Network("3fff::/20"),
)
"""What `is_global` leaves open in one release of Python or another: this network, the carriers' (100.64/10), a cloud's
own service under a public address (168.63.129.16), benchmarks, multicast and reserved; and IPv6 that carries an IPv4
address inside (6to4, Teredo)."""


def reachable(address: str) -> bool:
    """Whether a message may be carried to this address: it is one on the public internet, and plainly so."""
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and (parsed.scope_id or parsed not in _GLOBAL_V6):
        return False
    if not parsed.is_global or parsed.is_multicast or parsed.is_reserved:
        return False
    return not any(parsed.version == net.version and parsed in net for net in _NOT_FOR_US)
