"""Step 1: after 10 failed keys within 60 seconds, everything from that address waits (spec, Authentication 5)."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from rest_facade.access.rate_counter import CountingFailed, RateCounter, memory
from rest_facade.rest.errors import INVALID_API_KEY, Error, Refused, throttled

FAILURES = 10
WINDOW = 60

MOST_HOPS = 32
"""Entries of X-Forwarded-For that are looked at; a longer list is somebody's junk."""


class Throttle:
    """Counts failures per address. A block neither grows by more requests nor ends by a good key.

    Where the store of `counter` fails, this process counts for itself: who guesses keys must not gain by that.
    """

    def __init__(self, counter: RateCounter) -> None:
        self._counter = counter
        self._own = RateCounter(memory(), prefix="throttle", window=WINDOW)

    async def admit(self, address: str) -> None:
        """Raise Refused (429) while the address is blocked."""
        try:
            count = await self._counter.peek(address, FAILURES)
        except CountingFailed:
            count = await self._own.peek(address, FAILURES)
        if count.over:
            raise Refused(throttled(count.retry_after))

    async def fail(self, address: str) -> Error:
        """Count a failed key and return its answer: 401, or 429 where many failed at once."""
        try:
            count = await self._counter.spend(address, FAILURES)
        except CountingFailed:
            count = await self._own.spend(address, FAILURES)
        return throttled(count.retry_after) if count.over else INVALID_API_KEY


def address_of(peer: str, forwarded: str | None, trusted: Sequence[IPv4Network | IPv6Network]) -> str:
    """Who is asking: the peer, or the right-most hop that is no trusted proxy. The /64 for IPv6."""
    address = _parsed(peer)
    if address is None:
        return peer
    for hop in reversed((forwarded or "").split(",")[-MOST_HOPS:]):
        if not any(address in network for network in trusted):
            break
        before = _parsed(hop.strip())
        if before is None:
            break
        address = before
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
