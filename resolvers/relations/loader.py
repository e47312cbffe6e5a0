"""A loader: values by key, batched by aiodataloader and cached for one request."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from aiodataloader import DataLoader

BatchFunction = Callable[[Sequence[Any]], Awaitable[Mapping[Any, Any]]]
"""Reads the values of keys. A key without a value may be missing in the result."""

LARGEST_BATCH = 500
"""The most keys of one statement."""


class Loader:
    """Reads each key once. A key whose batch failed is read again when it is requested again.

    One load of the `DataLoader` is all new keys of one call, since a future for each key would cost more than the
    batching. So the cache of values and the keys in flight are kept here, and the `DataLoader` caches nothing.
    """

    def __init__(self, read: BatchFunction) -> None:
        self._read = read
        self._values: dict[Any, Any] = {}
        self._in_flight: dict[asyncio.Future[None], Mapping[Any, None]] = {}
        self._data_loader = DataLoader[Iterable[Any], None](self._read_batch, cache=False)

    async def load(self, keys: Iterable[Any]) -> Mapping[Any, Any]:
        """All values known so far, those of `keys` among them (None: no value). Raises what `read` raises."""
        missing = dict.fromkeys(keys)
        if self._values:
            missing = {key: None for key in missing if key not in self._values}
        pending = []
        for future, loading in self._in_flight.items():
            if not loading.keys().isdisjoint(missing):
                pending.append(future)
                missing = {key: None for key in missing if key not in loading}
        if missing:
            future = self._data_loader.load(missing)
            self._in_flight[future] = missing
            future.add_done_callback(self._landed)
            pending.append(future)
        for future in pending:
            # Others may wait for the same future: the cancellation of this task must not cancel it.
            await asyncio.shield(future)
        return self._values

    def close(self) -> None:
        """Forget all values. Without this, they stay in memory until the garbage collector finds the cycle with
        the `DataLoader`.
        """
        self._values = {}
        del self._data_loader

    async def _read_batch(self, loads: list[Iterable[Any]]) -> list[None]:
        keys = [key for load in loads for key in load]
        if len(keys) <= LARGEST_BATCH:
            parts = [await self._read(keys)]
        else:
            starts = range(0, len(keys), LARGEST_BATCH)
            parts = await asyncio.gather(*(self._read(keys[start : start + LARGEST_BATCH]) for start in starts))
        values: dict[Any, Any] = dict.fromkeys(keys)
        for part in parts:
            values |= part
        self._values |= values
        return [None] * len(loads)

    def _landed(self, future: asyncio.Future[None]) -> None:
        del self._in_flight[future]
        # Retrieved here too, since every task that waited may be cancelled.
        future.exception()
