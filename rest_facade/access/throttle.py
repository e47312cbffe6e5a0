"""Step 1: 10 failed keys within 60 seconds block their address (spec, Authentication 5)."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from rest_facade.access.rate_counter import CountingFailed, RateCounter, memory_store
from rest_facade.rest.errors import INVALID_API_KEY, Error, Refused, throttled

MAX_FAILURES = 10
WINDOW_SECONDS = 60

MAX_HOPS = 32
"""Entries of X-Forwarded-For that are read, from the right. A longer list is no chain of real proxies."""


class Throttle:
    """Counts failed keys by address. Neither more requests nor a valid key change how long a block lasts.

    If the store of `counter` fails, this process counts in its own memory, so that keys can't be guessed meanwhile.
    """

    def __init__(self, counter: RateCounter) -> None:
        self._counter = counter
        self._fallback = RateCounter(memory_store(), prefix="throttle", window=WINDOW_SECONDS)

    async def admit(self, address: str) -> None:
        """Raise Refused (429) while the address is blocked."""
        try:
            count = await self._counter.peek(address, MAX_FAILURES)
        except CountingFailed:
            count = await self._fallback.peek(address, MAX_FAILURES)
        if count.over:
            raise Refused(throttled(count.retry_after))

    async def record_failure(self, address: str) -> Error:
        """Count a failed key. Returns the error of its request: 401, or 429 if concurrent failures exceed the limit."""
        try:
            count = await self._counter.consume(address, MAX_FAILURES)
        except CountingFailed:
            count = await self._fallback.consume(address, MAX_FAILURES)
        return throttled(count.retry_after) if count.over else INVALID_API_KEY


def client_address(peer: str, forwarded: str | None, trusted: Sequence[IPv4Network | IPv6Network]) -> str:
    """The client's address: the peer, or the right-most hop that is not a trusted proxy. The /64 of an IPv6 address."""
    address = _parsed(peer)
    if address is None:
        return peer
    for text in reversed((forwarded or "").split(",")[-MAX_HOPS:]):
        if not any(address in network for network in trusted):
            break
        hop = _parsed(text.strip())
        if hop is None:
            break
        address = hop
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
