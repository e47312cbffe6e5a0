"""Name resolution: the hosts of an address, one for each IP address of a name.

The names are resolved again after RESOLVED_SECONDS, so that a service that is scaled or moved is followed. A host keeps
its record while its name still has its IP address.
"""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from time import monotonic

from db.reading.hosts.address import DatabaseAddress, ListedHost
from db.reading.hosts.host import Host

RESOLVED_SECONDS = 10.0
"""Seconds for which the IP addresses of a name are used."""


class ResolvedHosts:
    """The hosts of an address, as they were resolved last; a name not yet resolved is one host.

    `all` are the hosts in the order of the address. `are_several`: there is another host for a connection that fails.
    """

    all: Sequence[Host]
    are_several: bool

    def __init__(self, address: DatabaseAddress) -> None:
        self.address = address
        self._hosts: dict[ListedHost, list[Host]] = {listed: [Host(listed)] for listed in address.hosts}
        self._list_all()
        self._names = [listed for listed in address.hosts if listed.is_name and not _is_ip_address(listed.host)]
        self._resolved_at: float | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def may_be_several(self) -> bool:
        """Whether the address may name several hosts, now or after another resolution."""
        return len(self._hosts) > 1 or bool(self._names)

    async def refresh(self) -> None:
        """Resolve the names if that is due. Concurrent calls share one resolution."""
        if not self._names:
            return
        if self._resolved_at is not None and monotonic() - self._resolved_at < RESOLVED_SECONDS:
            return
        if self._task is None:
            self._task = asyncio.create_task(self._resolve())
            self._task.add_done_callback(self._forget)
        # A caller that is cancelled leaves the resolution to the others.
        await asyncio.shield(self._task)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._task = None

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
        except (OSError, UnicodeError):
            for host in self._hosts[listed]:
                if host.hostaddr is None:
                    host.failed("its name can't be resolved")
            return
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        known = {host.hostaddr: host for host in self._hosts[listed]}
        hosts = self._hosts[listed] = [known.get(each) or Host(listed, each) for each in addresses]
        for host in hosts:
            host.label = f"{listed} ({host.hostaddr})" if len(hosts) > 1 else str(listed)


def _is_ip_address(text: str | None) -> bool:
    try:
        ip_address(text or "")
    except ValueError:
        return False
    return True
