"""Readiness: checks, within a timeout, of what every request needs (database, quota store); what is known of hosts."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from db.admin.errors import OperatorError
from db.reading.hosts.hosts import Hosts

CHECK_TIMEOUT = 2.0
"""Seconds after which a check that has not returned counts as unreachable."""

ReadinessCheck = Callable[[], Awaitable[str | None]]
"""Returns when the dependency is usable, perhaps with a reservation; raises any exception when it is not. /ready shows
the reservation, and the sentence of an OperatorError."""


class CheckResult(NamedTuple):
    """Whether a dependency is usable, and words about it."""

    passes: bool
    words: str


class Readiness:
    """Readiness checks by the name of their dependency, as /ready shows it; `hosts` are those of database addresses."""

    def __init__(
        self,
        checks: Mapping[str, ReadinessCheck],
        timeout: float = CHECK_TIMEOUT,
        *,
        hosts: Mapping[str, Hosts] | None = None,
    ) -> None:
        self._checks = checks
        self._timeout = timeout
        self._hosts = hosts or {}
        self.stopping = False
        """Set at shutdown: /ready answers 503, so that load balancers send new requests elsewhere."""

    async def report(self) -> Mapping[str, CheckResult]:
        """Whether each dependency is usable. The checks run concurrently."""
        results = await asyncio.gather(*map(self._check, self._checks.values()))
        return dict(zip(self._checks, results, strict=True))

    def host_reports(self) -> Mapping[str, list[Mapping[str, Any]]]:
        """What is known of the hosts of each address that has several, or a warning. Nothing is asked for it."""
        return {
            name: hosts.report()
            for name, hosts in self._hosts.items()
            if hosts.are_several or any(host.warning for host in hosts.all)
        }

    async def _check(self, check: ReadinessCheck) -> CheckResult:
        try:
            async with asyncio.timeout(self._timeout):
                return CheckResult(True, await check() or "reachable")
        except OperatorError as error:
            return CheckResult(False, str(error))
        except Exception:  # noqa: BLE001 - any failure means unreachable
            return CheckResult(False, "unreachable")
