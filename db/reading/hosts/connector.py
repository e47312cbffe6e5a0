"""Opens the connections of one pool: tries the hosts in order, within the time that the pool waits."""

import asyncio
import random
from collections import Counter
from collections.abc import Container

from psycopg import OperationalError

from db.reading.connection import Connection
from db.reading.hosts.connecting import NotConnected, connect_to
from db.reading.hosts.host import Host, HostState
from db.reading.hosts.hosts import Hosts

CONNECT_SECONDS = 2.0
"""Seconds that one attempt may take at most."""

SPREAD_SECONDS = 300.0
"""Age in seconds at which a connection is replaced where there are several hosts: connections then spread again over
the hosts within this time after one of them has returned."""

JITTER = 0.2
"""Part of SPREAD_SECONDS by which ages differ, so that connections opened together are not replaced together."""


class Connector:
    """Opens connections to the hosts of an address, and spreads those of its pool evenly over the good ones."""

    def __init__(self, hosts: Hosts, *, prepare_threshold: int | None, spread_seconds: float = SPREAD_SECONDS) -> None:
        self._hosts = hosts
        self._prepare_threshold = prepare_threshold
        self._spread_seconds = spread_seconds
        self._connections: set[Connection] = set()
        self._opening: Counter[Host] = Counter()

    async def __call__(self, deadline: float, avoid: Container[Host] = ()) -> Connection:
        """A connection to the best host that answers before `deadline` (the event loop's clock).

        The hosts that are left share the time that is left. Raises OperationalError, which names each host.
        """
        order = await self._hosts.in_order(self.by_host(), avoid)
        reasons: list[str] = []
        second_choices: list[Connection] = []
        try:
            for number, host in enumerate(order):
                if second_choices and not self._may_be_better(host):
                    continue
                try:
                    connection = await self._connect(host, deadline, hosts_left=len(order) - number)
                except NotConnected as error:
                    reasons.append(f"{host.label}: {error}")
                    continue
                if (refusal := self._hosts.refusal(host)) is not None:
                    connection.finish()
                    reasons.append(f"{host.label}: {refusal}")
                elif self._hosts.is_second_choice(host) and any(map(self._may_be_better, order[number + 1 :])):
                    second_choices.append(connection)
                else:
                    return self._add(connection)
            if second_choices:
                return self._add(second_choices.pop())
        finally:
            for connection in second_choices:
                connection.finish()
        raise OperationalError("; ".join(reasons))

    def by_host(self) -> Counter[Host]:
        """The number of connections to each host that are open or being opened."""
        self._connections = {connection for connection in self._connections if not connection.closed}
        return Counter(connection.host for connection in self._connections) + self._opening

    def _may_be_better(self, host: Host) -> bool:
        """Whether the host may be a standby where one is preferred. One that is stale is no better than a primary."""
        is_good = host.state is not HostState.down and not self._hosts.is_stale(host)
        return is_good and not self._hosts.is_second_choice(host)

    async def _connect(self, host: Host, deadline: float, *, hosts_left: int) -> Connection:
        """A connection to the next of the hosts that are left. Raises NotConnected."""
        now = asyncio.get_running_loop().time()
        attempt_end = now + min((deadline - now) / hosts_left, CONNECT_SECONDS)
        self._opening[host] += 1
        try:
            parameters = self._hosts.parameters(host)
            return await connect_to(host, parameters, attempt_end, prepare_threshold=self._prepare_threshold)
        finally:
            self._opening[host] -= 1

    def _add(self, connection: Connection) -> Connection:
        if self._hosts.are_several:
            connection.max_age = self._spread_seconds * (1 - JITTER * random.random())  # noqa: S311 - no secret
        self._connections.add(connection)
        return connection
