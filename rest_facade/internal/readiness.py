"""Whether the service can answer: each thing that every request needs is asked, within a deadline."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

DEADLINE = 2.0
"""Seconds after which what says nothing counts as unreachable."""

ReadinessCheck = Callable[[], Awaitable[None]]
"""Raises, whatever it likes, where the thing that it asks can't be used."""


class Readiness:
    """The checks by the names of what they ask, as an operator reads them."""

    def __init__(self, checks: Mapping[str, ReadinessCheck], deadline: float = DEADLINE) -> None:
        self._checks = checks
        self._deadline = deadline
        self.stopping = False
        """Set when the service was told to stop: it finishes what it began, and shall be sent nothing new."""

    async def report(self) -> Mapping[str, bool]:
        """What can be reached. All are asked at once, so that the slowest alone decides how long it takes."""
        found = await asyncio.gather(*map(self._reaches, self._checks.values()))
        return dict(zip(self._checks, found, strict=True))

    async def _reaches(self, check: ReadinessCheck) -> bool:
        try:
            async with asyncio.timeout(self._deadline):
                await check()
        except Exception:  # noqa: BLE001 - whatever keeps it from answering, the answer is the same
            return False
        return True
