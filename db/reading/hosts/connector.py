"""Opens the connections of one pool: tries the hosts in order, within the time that the pool waits.

An attempt at a host leaves its outcome, and what the host is, in the host's record.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Container, Mapping
from typing import Any

from psycopg import OperationalError
from psycopg.rows import namedtuple_row

from db.reading.connection import Connection
from db.reading.data_as_of import BLIND, IS_BLIND, LAG_SECONDS
from db.reading.distribution.placements import read_distribution
from db.reading.distribution.shards import read_shards
from db.reading.hosts.host import Host, HostState
from db.reading.hosts.hosts import Hosts
from db.reading.transaction import SET_ROLE

CONNECT_SECONDS = 2.0
"""Seconds that one attempt may take at most."""

SPREAD_SECONDS = 300.0
"""Age in seconds at which a connection is replaced where there are several hosts: connections then spread again over
the hosts within this time after one of them has returned."""

JITTER = 0.2
"""Part of SPREAD_SECONDS by which ages differ, so that connections opened together are not replaced together."""

SHORTEST_ATTEMPT = 0.2
"""Seconds. A host that did not answer for less than this is not taken to be down."""

SESSION_STATE = f"""
SELECT pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only')::bool AS is_read_only,
  {LAG_SECONDS} AS lag_seconds,
  {IS_BLIND} AS is_blind
"""


class Connector:
    """Opens connections to the hosts of an address, and spreads those of its pool evenly over the good ones."""

    def __init__(self, hosts: Hosts, *, prepare_threshold: int | None) -> None:
        self._hosts = hosts
        self._prepare_threshold = prepare_threshold
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
            connection.max_age = SPREAD_SECONDS * (1 - JITTER * random.random())  # noqa: S311 - no secret
        self._connections.add(connection)
        return connection


class NotConnected(OperationalError):
    """A host could not be reached; the text says why, without the name of the host."""


class NotAnswering(NotConnected):
    """A host accepted the attempt, or did not refuse it, and then sent nothing in time."""


async def connect_to(
    host: Host, parameters: Mapping[str, Any], deadline: float, *, prepare_threshold: int | None = None
) -> Connection:
    """A connection to the host, opened until `deadline` (the event loop's clock). Raises NotConnected."""
    loop = asyncio.get_running_loop()
    seconds = deadline - loop.time()
    connection: Connection | None = None
    try:
        async with asyncio.timeout_at(deadline):
            connection = await Connection.connect(
                **{**parameters, "client_encoding": "utf8"},
                autocommit=True,
                prepare_threshold=None,
                row_factory=namedtuple_row,
                application_name="orgdata",
            )
            connection.is_distributed = (await read_distribution(connection)).is_distributed
            if connection.is_distributed:
                connection.shards = host.shards = await read_shards(connection, SET_ROLE)
            is_read_only = connection.pgconn.parameter_status(b"default_transaction_read_only")
            if connection.is_primary and is_read_only is not None:
                # PostgreSQL reports both when a session starts. A pooler may not.
                host.answered(is_standby=False, is_read_only=is_read_only == b"on")
            else:
                await ask_session_state(connection, host)
    except BaseException as error:
        if connection is not None:
            connection.finish()
        # The caller's own timeout may have the same deadline, and cancel this one first.
        if isinstance(error, TimeoutError) or (isinstance(error, asyncio.CancelledError) and loop.time() >= deadline):
            reason = f"no answer within {max(seconds, 0):.1f} s"
            if seconds >= SHORTEST_ATTEMPT:
                host.failed(reason)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise NotAnswering(reason) from None
        if isinstance(error, OperationalError):
            reason = in_words(error)
            host.failed(reason)
            raise NotConnected(reason) from None
        raise
    # What is asked once, above, is not prepared.
    connection.host, connection.prepare_threshold = host, prepare_threshold
    return connection


async def ask_session_state(connection: Connection, host: Host) -> None:
    """Record that the host answered, and what it is now: a standby may have been promoted."""
    (((row,),)) = await connection.read([(SESSION_STATE, {})])
    host.answered(is_standby=row.is_standby, is_read_only=row.is_read_only, warning=BLIND if row.is_blind else None)
    host.lag_seconds = row.lag_seconds


def in_words(error: Exception) -> str:
    """The cause of an error of libpq on one line, without its preamble, which names the host again."""
    first = str(error).strip().partition("\n")[0]
    return first.rpartition(" failed: ")[2].strip() or "the connection failed"
