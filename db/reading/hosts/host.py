"""Host: one server of a database address, with what this process knows of it.

All pools of an address share its hosts: what one connection learns, each later one uses.
"""

import logging
from collections.abc import Mapping
from enum import StrEnum
from math import inf
from typing import Protocol

from psycopg import Error, OperationalError

from db.reading.hosts.address import ListedHost

log = logging.getLogger(__name__)


class HostState(StrEnum):
    """Whether a host answered the last attempt to reach it."""

    unknown = "unknown"
    """No attempt has ended yet."""
    up = "up"
    down = "down"
    """It refused the last connection, or did not answer in time."""


class ReadInFlight(Protocol):
    """What is known here of a connection (`db.reading.connection`) that waits for the server."""

    def abort(self, error: Error) -> None:
        """Let the read fail."""


class Host:
    """A server: a listed host and one of its IP addresses. `last_error` is in words, without secrets."""

    def __init__(self, listed: ListedHost, hostaddr: str | None = None) -> None:
        self.listed = listed
        self.hostaddr = hostaddr or listed.hostaddr
        self.label = str(listed)
        """The name in /ready, in /metrics and in the log: `host:port`, and the IP address if the name has several."""
        self.state = HostState.unknown
        self.last_error: str | None = None
        self.role: str | None = None
        """`standby` or `primary`, as it last answered; None if it never did."""
        self.access: str | None = None
        """`read-only` if a session of this address was that by default, or in recovery, else `read-write`."""
        self.warning: str | None = None
        """What an operator should set on a host that answers."""
        self.lag_seconds: float | None = None
        """By how much it was behind the primary when it was asked last (`db.reading.data_as_of`); None before that."""
        self.retires_connections = False
        """Whether connections are closed when they are released: the host is too far behind, and another one is not."""
        self.is_distributed = False
        """Whether tables were distributed when a connection was last opened (`db.reading.hosts.distribution`)."""
        self.shards: Mapping[int, Mapping[str, str]] = {}
        """The shards that the node had then (`db.reading.hosts.distribution`)."""
        self.suspect_before = -inf
        """Connections whose last answer is older are treated as broken (seconds of `perf_counter`)."""
        self.reads: dict[ReadInFlight, float] = {}
        """The reads in flight, the oldest first, with their start (seconds of `perf_counter`)."""

    def answered(self, *, is_standby: bool, is_read_only: bool, warning: str | None = None) -> None:
        """Record that a connection was opened, or a check answered."""
        if warning is not None and warning != self.warning:
            log.warning("database host %s %s", self.label, warning)
        self.warning = warning
        if self.state is HostState.down:
            log.warning("database host %s answers again", self.label)
        self.state = HostState.up
        self.last_error = None
        self.role = "standby" if is_standby else "primary"
        self.access = "read-only" if is_read_only else "read-write"
        if not is_standby:
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

    def waits_since(self) -> float:
        """When the oldest read in flight began (seconds of `perf_counter`); infinity without one."""
        return next(iter(self.reads.values()), inf)

    def give_up_reads(self, moment: float) -> None:
        """Let the reads fail that began before `moment`, as those of a lost connection do: without an SQLSTATE."""
        for read, began_at in self.reads.items():
            if began_at < moment:
                read.abort(OperationalError(f"database host {self.label} does not answer"))
