"""Hosts of a database address: in which order a new connection tries them, and what /ready says of them.

A name is one host for each of its IP addresses. The names are resolved again after RESOLVED_SECONDS, so that a service
that is scaled or moved is followed. A host keeps its record while its name still has its IP address.
"""

import asyncio
import random
import socket
from collections.abc import Container, Iterator, Mapping, Sequence
from math import inf, isfinite
from time import monotonic
from typing import Any

from db.reading.hosts.address import ListedHost, SessionTarget, parse_address
from db.reading.hosts.host import Host, HostState

MAX_LAG_SECONDS = 30.0
"""Seconds that a host may be behind the primary before others are used instead."""

RESOLVED_SECONDS = 10.0
"""Seconds for which the IP addresses of a name are used."""

RESOLVING_SECONDS = 0.2
"""Seconds that the first caller waits for a resolution, if addresses are known. The others use these at once."""


class Hosts:
    """The hosts of a database address, as they were resolved last. Raises ValueError for a text that is none.

    `max_lag`: seconds that a host may be behind before others are used instead. `all` are the hosts in the order of the
    address. `are_several`: there is another host for a connection that fails.
    """

    all: Sequence[Host]
    are_several: bool

    def __init__(self, address: str, *, max_lag: float = MAX_LAG_SECONDS) -> None:
        self.address = parse_address(address)
        self._max_lag = max_lag
        self._hosts: dict[ListedHost, list[Host]] = {listed: [Host(listed)] for listed in self.address.hosts}
        self._list_all()
        self._names = [listed for listed in self.address.hosts if listed.is_name]
        self._resolved_at = -inf
        self._resolution: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Resolve the names if that is due. Concurrent calls share one resolution; all of them wait for the first."""
        if not self._names or monotonic() - self._resolved_at < RESOLVED_SECONDS:
            return
        if self._resolution is None or self._resolution.done():
            self._resolution = asyncio.create_task(self._resolve())
        elif self._resolved_at > -inf:
            return
        # A caller that is cancelled, or does not wait any longer, leaves the resolution to the others.
        await asyncio.wait([self._resolution], timeout=None if self._resolved_at == -inf else RESOLVING_SECONDS)

    async def _resolve(self) -> None:
        await asyncio.gather(*map(self._resolve_name, self._names))
        self._list_all()
        self._resolved_at = monotonic()

    def _list_all(self) -> None:
        self.all = [host for hosts in self._hosts.values() for host in hosts]
        self.are_several = len(self.all) > 1

    async def _resolve_name(self, listed: ListedHost) -> None:
        """Update the hosts of one name. A name that can't be resolved keeps those that it had."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(
                str(listed.host), listed.port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
            )
        except (OSError, UnicodeError, RuntimeError):  # RuntimeError: the event loop takes no more threads.
            for host in self._hosts[listed]:
                if host.hostaddr is None:
                    host.failed("its name can't be resolved")
            return
        known = {host.hostaddr: host for host in self._hosts[listed]}
        addresses = dict.fromkeys(str(entry[4][0]) for entry in found)
        hosts = self._hosts[listed] = [known.get(each) or Host(listed, each) for each in addresses]
        for host in hosts:
            host.label = f"{listed} ({host.hostaddr})" if len(hosts) > 1 else str(listed)

    def parameters(self, host: Host) -> Mapping[str, Any]:
        """The parameters of a connection to one host. psycopg passes on what is not None."""
        listed = host.listed
        own = {**self.address.parameters, "host": listed.host, "hostaddr": host.hostaddr, "port": listed.port}
        # Otherwise libpq would take PGTARGETSESSIONATTRS. A service file is libpq's to read.
        return own if "service" in own else {**own, "target_session_attrs": "any"}

    async def in_order(self, connections: Mapping[Host, int], avoid: Container[Host] = ()) -> list[Host]:
        """The hosts in the order in which a new connection of a pool tries them.

        Hosts that are up or not tried yet come first, among them those that the address means, among these those that
        are not stale, and then the one with the fewest `connections`; a draw decides between equals. A host that is
        down comes last: the monitor tests it, so that requests do not. `avoid` are hosts where a read has just failed:
        the last among their equals.
        """
        await self.refresh()
        hosts = list(self.all)
        random.shuffle(hosts)
        return sorted(hosts, key=lambda host: (*self._rank(host), host in avoid, connections.get(host, 0)))

    def _rank(self, host: Host) -> tuple[bool, bool, bool, bool]:
        """The smaller, the better. A rule that makes a host less wanted belongs here."""
        return (
            host.state is HostState.down,
            self.refusal(host) is not None,
            self.is_stale(host),
            self.is_second_choice(host),
        )

    def is_stale(self, host: Host) -> bool:
        """Whether the host is so far behind that any other one is better."""
        return host.lag_seconds is not None and host.lag_seconds > self._max_lag

    def judge_lag(self, host: Host) -> None:
        """Let the pools close their connections to a stale host, one by one, while another host is not stale."""
        host.retires_connections = self.is_stale(host) and not all(map(self.is_stale, self.better_than(host)))

    def is_second_choice(self, host: Host) -> bool:
        """Whether the host is used only while no better one answers: a primary for `prefer-standby`."""
        return self.address.target is SessionTarget.prefer_standby and host.role == "primary"

    def may_be_first_choice(self, host: Host) -> bool:
        """Whether the host may be a standby where one is preferred. One that is stale is no better than a primary."""
        return not (host.state is HostState.down or self.is_stale(host) or self.is_second_choice(host))

    def refusal(self, host: Host) -> str | None:
        """Why a host is not one that the address means; None if it is, and while that is not known."""
        target = self.address.target
        kind = host.access if target in (SessionTarget.read_write, SessionTarget.read_only) else host.role
        if target in (SessionTarget.any, SessionTarget.prefer_standby) or kind in (None, target):
            return None
        return f"is {kind}, and target_session_attrs is {target.value}"

    def better_than(self, host: Host) -> Iterator[Host]:
        """The other hosts that are up, and mean as much as this one did, for reads that are given up here."""
        for other in self.all:
            if other is not host and other.state is HostState.up and self.refusal(other) is None:
                yield other

    def report(self) -> list[Mapping[str, Any]]:
        """What is known of each host, for operators."""
        return [
            {
                "host": host.label,
                "state": host.state.value,
                "role": host.role,
                "last_error": host.last_error or (self._why_unused(host) if host.state is HostState.up else None),
                "lag_seconds": round(lag, 3) if (lag := host.lag_seconds) is not None and isfinite(lag) else None,
                "warning": host.warning,
            }
            for host in self.all
        ]

    def _why_unused(self, host: Host) -> str | None:
        """Why a host that answers is not used, or used last."""
        if self.is_stale(host):
            return "has an unknown lag" if host.lag_seconds == inf else f"is {host.lag_seconds:.0f} s behind"
        return self.refusal(host)
