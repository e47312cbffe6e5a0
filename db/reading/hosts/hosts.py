"""Hosts of a database address: in which order a new connection tries them, and what /ready says of them.

The interface for the rest of the service:

- `Hosts(address)` holds the hosts of an address; the pools of a process that read the same address share it.
- `Hosts.in_order(connections)` is the order for a new connection of one pool. `db.reading.hosts.connector` tries it.
- `db.reading.hosts.monitor.MonitoredHosts` are hosts that are checked in the background.
- `Host.state`, `is_standby`, `lag_seconds` and `last_error` say what is known of a host. A rule that makes a host less
  wanted belongs into `_rank`.
"""

import random
from collections.abc import Container, Iterator, Mapping
from math import inf, isfinite
from typing import Any

from db.reading.hosts.address import DatabaseAddress, SessionTarget, parse_address
from db.reading.hosts.host import Host, HostState
from db.reading.hosts.resolution import ResolvedHosts

MAX_LAG_SECONDS = 30.0
"""Seconds that a host may be behind the primary before others are used instead."""


class Hosts(ResolvedHosts):
    """The hosts of a database address. Raises AddressError for a text that is none.

    `max_lag`: seconds that a host may be behind before others are used instead.
    """

    def __init__(self, address: DatabaseAddress | str, *, max_lag: float = MAX_LAG_SECONDS) -> None:
        super().__init__(parse_address(address) if isinstance(address, str) else address)
        self._max_lag = max_lag

    def parameters(self, host: Host) -> Mapping[str, Any]:
        """The parameters of a connection to one host."""
        own = {**self.address.parameters, **host.parameters}
        # Otherwise libpq would take PGTARGETSESSIONATTRS. A service file is libpq's to read.
        return own if "service" in own else {**own, "target_session_attrs": "any"}

    async def in_order(self, connections: Mapping[Host, int], avoid: Container[Host] = ()) -> list[Host]:
        """The hosts in the order in which a new connection tries them.

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
        """The smaller, the better."""
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
        host.retires_connections = self.is_stale(host) and any(
            not self.is_stale(other) for other in self._better_than(host)
        )

    def is_second_choice(self, host: Host) -> bool:
        """Whether the host is used only while no better one answers: a primary for `prefer-standby`."""
        return self.address.target is SessionTarget.prefer_standby and host.is_standby is False

    def refusal(self, host: Host) -> str | None:
        """Why a host is not one that the address means; None if it is, and while that is not known."""
        target = self.address.target
        kind = host.access if target in (SessionTarget.read_write, SessionTarget.read_only) else host.role
        if target in (SessionTarget.any, SessionTarget.prefer_standby) or kind in (None, target):
            return None
        return f"is {kind}, and target_session_attrs is {target.value}"

    def has_better(self, host: Host) -> bool:
        """Whether another host is up and means as much as this one did, for reads that are given up here."""
        return any(self._better_than(host))

    def _better_than(self, host: Host) -> Iterator[Host]:
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
