"""Checks of the hosts of an address, in the background, so that requests do not find out by failing.

Each host is asked every CHECK_SECONDS, over a connection that the monitor keeps; for a host that is down, a check is an
attempt to connect. One check of a host runs at a time: it is the half-open test of a host that failed. A read that has
waited for SILENT_SECONDS causes a check of its host at once. If the host does not answer the check either, and another
one is up, its reads are given up and repeated there (`Host.give_up_reads`).
"""

import asyncio
import logging
from time import perf_counter

from psycopg import Error, OperationalError

from db.reading.connection import Connection
from db.reading.hosts.connector import ask_session_state, connect_to
from db.reading.hosts.host import Host
from db.reading.hosts.hosts import Hosts

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

    _users = 0
    _task: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Start checking the hosts, where there may be several. Every call needs a `close`."""
        self._users += 1
        # A name may be several hosts after another resolution.
        if self._users == 1 and (self.are_several or self._names):
            self._task = asyncio.create_task(self._watch_all())

    def close(self) -> None:
        """Stop checking them when the last user does not need them any more."""
        self._users -= 1
        if self._users == 0:
            for task in (self._task, self._resolution):
                if task is not None:
                    task.cancel()
            self._task = self._resolution = None

    async def _watch_all(self) -> None:
        """Watch each host while its name has it."""
        watches: dict[Host, asyncio.Task[None]] = {}
        try:
            while True:
                await self.refresh()
                for host in self.all:
                    if host not in watches:
                        watches[host] = asyncio.create_task(self._watch(host))
                for host in watches.keys() - set(self.all):
                    watches.pop(host).cancel()
                await asyncio.sleep(TICK_SECONDS)
        finally:
            for watch in watches.values():
                watch.cancel()

    async def _watch(self, host: Host) -> None:
        """Check a host whenever that is due."""
        connection: Connection | None = None
        try:
            while True:
                began_at = perf_counter()
                try:
                    connection = await self._check(host, connection)
                except Exception:
                    log.exception("the check of database host %s failed", host.label)
                await _until_due(host, began_at)
        finally:
            if connection is not None:
                connection.finish()

    async def _check(self, host: Host, kept: Connection | None) -> Connection | None:
        """Ask the host over the kept connection, and over a new one if that fails. Returns the one to keep."""
        began_at = perf_counter()
        if kept is None or not await _answers(kept):
            try:
                kept = await connect_to(host, self.parameters(host), NEW_SECONDS)
            except TimeoutError:
                host.suspect(began_at)
                if any(self.better_than(host)):
                    host.give_up_reads(began_at)
                return None
            except OperationalError:
                # A host that refuses may still answer its reads: it may have too many clients.
                return None
        self.judge_lag(host)
        if self.refusal(host) is not None:
            # A standby that was promoted: its connections are not what the address means any more.
            host.suspect(perf_counter())
        return kept


async def _until_due(host: Host, checked_at: float) -> None:
    """Wait for the time of the next check, or until reads have waited for SILENT_SECONDS since then."""
    while (now := perf_counter()) < checked_at + CHECK_SECONDS:
        if now - max(checked_at, host.waits_since()) >= SILENT_SECONDS:
            return
        await asyncio.sleep(TICK_SECONDS)


async def _answers(connection: Connection) -> bool:
    """Whether the kept connection answers. It closes itself if not."""
    try:
        async with asyncio.timeout(KEPT_SECONDS):
            await ask_session_state(connection)
    except (Error, TimeoutError):
        connection.finish()
        return False
    return True
