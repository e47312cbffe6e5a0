"""Client addresses: who asks, behind proxies too, in the form in which failures are counted."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

MAX_HOPS = 32
"""Entries of X-Forwarded-For that are read, from the right. No real chain of proxies is longer."""

LONGEST_PORT = 5
"""Digits."""

MAX_CACHED = 4_096
"""Peers whose counted form is kept; the least recently used is evicted first."""


@lru_cache(MAX_CACHED)
def peer_address(peer: str) -> str:
    """The address of a client that is connected without a proxy; the /64 network for IPv6.

    A peer that is no IP address (a Unix socket) is returned as it is.
    """
    address = parse_ip(peer)
    return peer if address is None else _text(address)


def forwarded_address(peer: str, forwarded: str, trusted: Sequence[IPv4Network | IPv6Network]) -> str:
    """The right-most entry of X-Forwarded-For that is no trusted proxy, in the same form; the peer if it is none."""
    address = parse_ip(peer)
    if address is None:
        return peer
    for hop in reversed(forwarded.split(",")[-MAX_HOPS:]):
        if not any(address in network for network in trusted):
            break
        before = parse_ip(_without_port(hop.strip()))
        if before is None:
            break
        address = before
    return _text(address)


def shortened_address(address: str) -> str:
    """The network of an address in the form of this module: /24 of IPv4, /48 of IPv6; other texts as they are."""
    parsed = parse_ip(address.partition("/")[0])
    if parsed is None:
        return address
    return str(ip_network((parsed, 48 if isinstance(parsed, IPv6Address) else 24), strict=False))


def _text(address: IPv4Address | IPv6Address) -> str:
    """The form in which failures are counted."""
    return str(IPv6Network((address, 64), strict=False) if isinstance(address, IPv6Address) else address)


def _without_port(entry: str) -> str:
    """`1.2.3.4` of `1.2.3.4:5555`, `::1` of `[::1]:443` and of `[::1]` (RFC 7239, 6, as proxies write it)."""
    host, separator, port = entry.rpartition(":")
    is_whole = ":" not in host or (host.startswith("[") and host.endswith("]"))
    if separator and is_whole and port.isascii() and port.isdigit() and len(port) <= LONGEST_PORT:
        entry = host
    return entry[1:-1] if entry.startswith("[") and entry.endswith("]") else entry


def parse_ip(text: str) -> IPv4Address | IPv6Address | None:
    """An address; the IPv4 address where one is mapped into IPv6."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
