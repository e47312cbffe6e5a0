"""Host: one server of a database address, with what this process knows of it.

All pools of an address share its hosts: what one connection learns, each later one uses.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from enum import StrEnum
from math import inf
from time import perf_counter

from psycopg import OperationalError

from db.reading.hosts.address import ListedHost

log = logging.getLogger(__name__)


class HostState(StrEnum):
    """Whether a host answered the last attempt to reach it."""

    unknown = "unknown"
    """No attempt has ended yet."""
    up = "up"
    down = "down"
    """It refused the last connection, or did not answer in time."""


class HostSilent(OperationalError):
    """A read was given up because its host does not answer. It has no SQLSTATE, as a lost connection has none."""


class Host:
    """A server: a listed host and one of its IP addresses. `last_error` is in words, without secrets."""

    def __init__(self, listed: ListedHost, hostaddr: str | None = None) -> None:
        self.listed = listed
        self.hostaddr = hostaddr or listed.hostaddr
        self.label = str(listed)
        """The name in /ready, in /metrics and in the log: `host:port`, and the IP address if the name has several."""
        self.state = HostState.unknown
        self.last_error: str | None = None
        self.is_standby: bool | None = None
        """Whether the server was in recovery when it last answered; None if it never did."""
        self.is_read_only: bool | None = None
        """Whether a session of this address was read-only by default, or in recovery."""
        self.warning: str | None = None
        """What an operator should set on a host that answers."""
        self.lag_seconds: float | None = None
        """By how much it was behind the primary when it was asked last (`db.reading.data_as_of`); None before that."""
        self.retires_connections = False
        """Whether connections are closed when they are released: the host is too far behind, and another one is not."""
        self.shards: Collection[int] = ()
        """The shards that the node had when it last answered (`db.reading.distribution.shards`)."""
        self.suspect_before = -inf
        """Connections whose last answer is older are treated as broken (seconds of `perf_counter`)."""
        self.checked_at = -inf
        """When the last check of the host began (seconds of `perf_counter`)."""
        self._reads: dict[asyncio.Timeout, float] = {}
        """The reads in flight, the oldest first, with their start (seconds of `perf_counter`)."""

    def __repr__(self) -> str:
        return f"Host({self.label!r}, {self.state.value})"

    @property
    def role(self) -> str | None:
        """`standby` or `primary`; None if it never answered."""
        return None if self.is_standby is None else "standby" if self.is_standby else "primary"

    @property
    def access(self) -> str | None:
        """`read-only` or `read-write`; None if it never answered."""
        return None if self.is_read_only is None else "read-only" if self.is_read_only else "read-write"

    def answered(self, *, is_standby: bool | None, is_read_only: bool | None, warning: str | None = None) -> None:
        """Record that a connection was opened, or a check answered."""
        if warning is not None and warning != self.warning:
            log.warning("database host %s %s", self.label, warning)
        self.warning = warning
        if self.state is HostState.down:
            log.warning("database host %s answers again", self.label)
        self.state = HostState.up
        self.last_error = None
        self.is_standby, self.is_read_only = is_standby, is_read_only
        if is_standby is False:
            self.lag_seconds = 0.0

    def failed(self, reason: str) -> None:
        """Record that an attempt to reach the host failed."""
        if self.state is not HostState.down or self.last_error != reason:
            log.warning("database host %s is down: %s", self.label, reason)
        self.state = HostState.down
        self.last_error = reason

    def suspect(self, moment: float) -> None:
        """Treat each connection to this host whose last answer is older than `moment` as broken.

        Called after one connection was lost: the others may have been lost in the same way.
        """
        self.suspect_before = max(self.suspect_before, moment)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """A read that `give_up_reads` may end. Raises HostSilent then."""
        try:
            async with asyncio.timeout(None) as timeout:
                self._reads[timeout] = perf_counter()
                try:
                    yield
                finally:
                    self._reads.pop(timeout, None)
        except TimeoutError:
            raise HostSilent(f"database host {self.label} does not answer") from None

    def waits_since(self) -> float:
        """When the oldest read in flight began (seconds of `perf_counter`); infinity without one."""
        return next(iter(self._reads.values()), inf)

    def give_up_reads(self, moment: float) -> None:
        """End the reads that began before `moment`, and treat the connections without a later answer as broken."""
        self.suspect(moment)
        for timeout, began_at in list(self._reads.items()):
            if began_at < moment:
                del self._reads[timeout]
                timeout.reschedule(asyncio.get_running_loop().time())
