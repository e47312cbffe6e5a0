"""Readiness: checks, within a timeout, of what every request needs (database, quota store); what is known of hosts."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from itertools import starmap
from typing import Any, NamedTuple

import structlog

from db.errors import OperatorError
from db.reading.hosts.hosts import Hosts
from rest_facade.internal.overview.shared_cache import SharedCache

log = structlog.get_logger()

CHECK_TIMEOUT = 2.0
"""Seconds after which a check that has not returned counts as unreachable."""

PASSED_SECONDS = 1.0
"""Seconds for which a check that passed is not repeated, however often /ready is asked."""

RECHECK_SECONDS = 2.0
"""Seconds between two checks at the start, until all of them pass."""

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
        kept: float = PASSED_SECONDS,
        hosts: Mapping[str, Hosts] | None = None,
    ) -> None:
        self._checks = checks
        self._timeout = timeout
        self._passed: SharedCache[str, str | None] = SharedCache(len(checks), seconds=kept, timeout=timeout)
        self._hosts = hosts or {}
        self._problems: Mapping[str, str] = {}
        """The words of the checks that failed last."""
        self.stopping = False
        """Set at shutdown: /ready answers 503, so that load balancers send new requests elsewhere."""

    async def report(self) -> Mapping[str, CheckResult]:
        """Whether each dependency is usable. The checks run concurrently; those that ask at once share them."""
        results = await asyncio.gather(*starmap(self._check, self._checks.items()))
        report = dict(zip(self._checks, results, strict=True))
        problems = {name: check.words for name, check in report.items() if not check.passes}
        if problems != self._problems:
            log.warning("not ready" if problems else "ready", **problems)
            self._problems = problems
        return report

    async def wait(self) -> None:
        """Check until every dependency is usable: the log says what is not, and when that changes."""
        while not all(check.passes for check in (await self.report()).values()):  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(RECHECK_SECONDS)

    def host_reports(self) -> Mapping[str, list[Mapping[str, Any]]]:
        """What is known of the hosts of each address that has several, or a warning. Nothing is asked for it."""
        return {
            name: hosts.report()
            for name, hosts in self._hosts.items()
            if hosts.are_several or any(host.warning for host in hosts.all)
        }

    async def _check(self, name: str, check: ReadinessCheck) -> CheckResult:
        try:
            return CheckResult(True, await self._passed.get(name, check) or "reachable")
        except OperatorError as error:
            return CheckResult(False, str(error))
        except TimeoutError:
            return CheckResult(False, f"unreachable: no answer within {self._timeout:g} s")
        except Exception:  # noqa: BLE001 - any failure means unreachable
            return CheckResult(False, "unreachable")
