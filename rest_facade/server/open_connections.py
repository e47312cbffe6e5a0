"""The open connections of a listener by address: which one is closed where one too many was accepted."""

from collections.abc import Collection, Sequence
from ipaddress import IPv4Network, IPv6Network
from itertools import islice

from rest_facade.access.client_address import parse_ip, peer_address
from rest_facade.server.uvicorn_internals import HttpConnection

MOST_LOOKED_AT = 100
"""Connections of an address that are looked at, the oldest ones: a flood must not cost a look at thousands each."""


class OpenConnections:
    """Those of one listener. One address may have `per_address` of them, unless it is a trusted proxy."""

    def __init__(self) -> None:
        self._by_address: dict[str, dict[HttpConnection, None]] = {}
        self._count = 0

    def add(self, connection: HttpConnection) -> None:
        """A connection was accepted."""
        self._by_address.setdefault(peer_address(connection.peer), {})[connection] = None
        self._count += 1

    def remove(self, connection: HttpConnection) -> None:
        """A connection is closed."""
        address = peer_address(connection.peer)
        own = self._by_address.get(address, {})
        if connection in own:
            del own[connection]
            self._count -= 1
            if not own:
                del self._by_address[address]

    def one_too_many(
        self, new: HttpConnection, *, most: int, per_address: int, proxies: Sequence[IPv4Network | IPv6Network]
    ) -> HttpConnection | None:
        """The connection to close: the oldest idle one of the address that has too many, else the new one.

        If the listener has too many, that is the address with the most. None if there is room for all.
        """
        own = self._by_address[peer_address(new.peer)]
        if len(own) > per_address and not _is_in(new.peer, proxies):
            return _oldest_idle(own, new)
        if self._count > most:
            return _oldest_idle(max(self._by_address.values(), key=len), new)
        return None


def _oldest_idle(connections: Collection[HttpConnection], new: HttpConnection) -> HttpConnection:
    """The oldest one without a request so far, else the oldest idle one, else the new one."""
    idle = [each for each in islice(connections, MOST_LOOKED_AT) if each is not new and each.is_idle]
    return next((each for each in idle if not each.has_asked), idle[0] if idle else new)


def _is_in(peer: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    address = parse_ip(peer)
    # Of a Unix socket, a proxy has the other end.
    return address is None or any(address in network for network in networks)
