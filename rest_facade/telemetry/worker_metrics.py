"""The metrics of all workers, from whichever of them is asked: each tells its own to the others over a socket."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from rest_facade.telemetry.metrics import Metrics

READ_SECONDS = 1.0
"""Seconds that a worker has for its metrics; one that is starting, dying or stuck is left out."""


class WorkerMetrics:
    """What one of `count` workers tells and hears; they find each other in a folder that is theirs alone."""

    def __init__(self, folder: Path, number: int, count: int) -> None:
        self._folder = folder
        self._number = number
        self._others = [each for each in range(count) if each != number]
        self._telling: asyncio.Server | None = None

    async def open(self, metrics: Metrics) -> None:
        """Tell the others, from now on, what this worker has counted."""

        async def tell(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(metrics.written())
            await writer.drain()
            writer.close()

        path = self._path(self._number)
        path.unlink(missing_ok=True)  # of the worker that had this number before
        self._telling = await asyncio.start_unix_server(tell, path)

    def close(self) -> None:
        """Tell nothing any more."""
        if self._telling is not None:
            self._telling.close()

    async def written(self, metrics: Metrics) -> bytes:
        """The metrics of all workers, each with the label `worker`."""
        told = await asyncio.gather(*map(self._ask, self._others))
        found = {self._number: metrics.written(), **dict(zip(self._others, told, strict=True))}
        return merged({worker: text.decode() for worker, text in sorted(found.items()) if text}).encode()

    async def _ask(self, number: int) -> bytes:
        try:
            async with asyncio.timeout(READ_SECONDS):
                reader, writer = await asyncio.open_unix_connection(self._path(number))
                try:
                    return await reader.read()
                finally:
                    writer.close()
        except OSError:  # a time-out is one
            return b""

    def _path(self, number: int) -> Path:
        return self._folder / f"worker-{number}"


async def own_metrics(metrics: Metrics) -> bytes:
    """The metrics of a process that has no siblings."""
    return metrics.written()


def merged(texts: dict[int, str]) -> str:
    """Texts in the format of Prometheus as one: a family of series stands together, whoever counted it."""
    families: dict[str, list[str]] = {}
    for worker, text in texts.items():
        for help_, type_, *series in _families(text.splitlines()):
            lines = families.setdefault(help_, [help_, type_])
            lines += [_labelled(line, worker) for line in series]
    return "".join(f"{line}\n" for lines in families.values() for line in lines)


def _families(lines: Iterable[str]) -> list[list[str]]:
    """Each family: the line with its meaning, that with its type, and its series."""
    found: list[list[str]] = []
    for line in lines:
        if line.startswith("# HELP "):
            found.append([])
        found[-1].append(line)
    return found


def _labelled(line: str, worker: int) -> str:
    """A line `name{label="value"} number` or `name number` with one label more."""
    name, brace, rest = line.partition("{")
    if brace:
        return f'{name}{{worker="{worker}",{rest}'
    name, _, number = line.partition(" ")
    return f'{name}{{worker="{worker}"}} {number}'
