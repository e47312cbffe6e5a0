"""Checks of the hosts of an address, in the background, so that requests do not find out by failing.

Each host is asked every CHECK_SECONDS, over a connection that the monitor keeps; for a host that is down, a check is an
attempt to connect. One check of a host runs at a time: it is the half-open test of a host that failed. A read that has
waited for SILENT_SECONDS causes a check of its host at once. If the host does not answer the check either, and another
one is up, its reads are given up and repeated there (`Host.give_up_reads`).
"""

import asyncio
import logging
from functools import partial
from time import perf_counter

from psycopg import Error

from db.reading.connection import Connection
from db.reading.hosts.connector import NotAnswering, NotConnected, ask_session_state, connect_to
from db.reading.hosts.host import Host
from db.reading.hosts.hosts import MAX_LAG_SECONDS, Hosts

log = logging.getLogger(__name__)

CHECK_SECONDS = 5.0
"""Seconds between two checks of a host."""

KEPT_SECONDS, NEW_SECONDS = 0.5, 1.0
"""Seconds that a check may take: over the kept connection, and then over a new one."""

SILENT_SECONDS = 1.0
"""Seconds after which a read without an answer causes a check of its host."""

TICK_SECONDS = 0.25
"""Seconds between two looks at what is due."""


class MonitoredHosts(Hosts):
    """Hosts that are checked while a pool uses them. Pools that read the same address share them."""

    def __init__(self, address: str, *, max_lag: float = MAX_LAG_SECONDS) -> None:
        super().__init__(address, max_lag=max_lag)
        self._users = 0
        self._task: asyncio.Task[None] | None = None
        self._checks: dict[Host, asyncio.Task[None]] = {}
        self._connections: dict[Host, Connection] = {}

    def open(self) -> None:
        """Start checking the hosts, where there may be several. Every call needs a `close`."""
        self._users += 1
        if self._users == 1 and self.may_be_several:
            self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        """Stop checking them, and close the connections, when the last user does not need them any more."""
        self._users -= 1
        if self._users > 0:
            return
        for task in [self._task, *self._checks.values()]:
            if task is not None:
                task.cancel()
        self._task = None
        for connection in self._connections.values():
            connection.finish()
        self._connections.clear()

    async def _run(self) -> None:
        while True:
            await self.refresh()
            for host in self.all:
                if host not in self._checks and self._is_due(host):
                    host.checked_at = perf_counter()
                    check = self._checks[host] = asyncio.create_task(self._check(host))
                    check.add_done_callback(partial(self._end_check, host))
            self._drop_unlisted()
            await asyncio.sleep(TICK_SECONDS)

    def _is_due(self, host: Host) -> bool:
        now = perf_counter()
        since = now - host.checked_at
        return since >= CHECK_SECONDS or (since >= SILENT_SECONDS and now - host.waits_since() >= SILENT_SECONDS)

    def _end_check(self, host: Host, task: asyncio.Task[None]) -> None:
        del self._checks[host]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the check of database host %s failed: %r", host.label, error)

    def _drop_unlisted(self) -> None:
        """Close the connections to hosts that their name does not have any more."""
        for host in self._connections.keys() - set(self.all):
            self._connections.pop(host).finish()

    async def _check(self, host: Host) -> None:
        """Ask the host over the kept connection, and over a new one if that fails."""
        began_at = perf_counter()
        kept = self._connections.pop(host, None)
        if kept is None or not await self._answers(kept, host):
            try:
                deadline = asyncio.get_running_loop().time() + NEW_SECONDS
                kept = await connect_to(host, self.parameters(host), deadline)
            except NotConnected as error:
                # A host that refuses may still answer its reads: it may have too many clients.
                if isinstance(error, NotAnswering):
                    host.suspect(began_at)
                    if any(self.better_than(host)):
                        host.give_up_reads(began_at)
                return
        self._connections[host] = kept
        self.judge_lag(host)
        if self.refusal(host) is not None:
            # A standby that was promoted: its connections are not what the address means any more.
            host.suspect(perf_counter())

    async def _answers(self, connection: Connection, host: Host) -> bool:
        """Whether the kept connection answers. It closes itself if not."""
        try:
            async with asyncio.timeout(KEPT_SECONDS):
                await ask_session_state(connection, host)
        except (Error, TimeoutError):
            connection.finish()
            return False
        return True
