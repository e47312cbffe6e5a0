"""Waits for a condition."""

import asyncio
import time
from collections.abc import Callable


def until(condition: Callable[[], object], seconds: float = 10, every: float = 0.01) -> None:
    """Wait until `condition()` is true, and fail if that takes longer."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{condition} is still not true after {seconds} s"
        time.sleep(every)


async def becomes(condition: Callable[[], object], seconds: float = 10, every: float = 0.01) -> None:
    """The same while the event loop runs."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(every)
