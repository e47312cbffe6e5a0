"""Metrics of all workers in one scrape: each worker serves its own to the others over a unix socket."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from rest_facade.telemetry.metrics import Metrics

WORKER_TIMEOUT = 1.0
"""Seconds to wait for the metrics of another worker. One that does not answer is left out."""


class WorkerMetrics:
    """The metrics of `count` workers, as worker `number` exports them. Their sockets are in `folder`."""

    def __init__(self, folder: Path, number: int, count: int) -> None:
        self._folder = folder
        self._number = number
        self._others = [each for each in range(count) if each != number]
        self._server: asyncio.Server | None = None

    async def open(self, metrics: Metrics) -> None:
        """Start serving the metrics of this worker to the others."""

        async def send(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(metrics.exposition())
            await writer.drain()
            writer.close()

        path = self._path(self._number)
        path.unlink(missing_ok=True)  # left by the previous worker of this number
        self._server = await asyncio.start_unix_server(send, path)

    def close(self) -> None:
        """Stop serving."""
        if self._server is not None:
            self._server.close()

    async def exposition(self, metrics: Metrics) -> bytes:
        """The metrics of all workers, each with the label `worker`."""
        others = await asyncio.gather(*map(self._fetch, self._others))
        by_worker = {self._number: metrics.exposition(), **dict(zip(self._others, others, strict=True))}
        return merged({worker: text.decode() for worker, text in sorted(by_worker.items()) if text}).encode()

    async def _fetch(self, number: int) -> bytes:
        """The metrics of another worker; empty when it does not answer in time."""
        try:
            async with asyncio.timeout(WORKER_TIMEOUT):
                reader, writer = await asyncio.open_unix_connection(self._path(number))
                try:
                    return await reader.read()
                finally:
                    writer.close()
        except OSError:  # TimeoutError is one
            return b""

    def _path(self, number: int) -> Path:
        return self._folder / f"worker-{number}"


async def own_metrics(metrics: Metrics) -> bytes:
    """The metrics of a process without other workers."""
    return metrics.exposition()


def merged(texts: dict[int, str]) -> str:
    """Merge texts in the Prometheus format, with the label `worker`; the series of a family must stand together."""
    families: dict[str, list[str]] = {}
    for worker, text in texts.items():
        for help_, type_, *series in _families(text.splitlines()):
            lines = families.setdefault(help_, [help_, type_])
            lines += [_labelled(line, worker) for line in series]
    return "".join(f"{line}\n" for lines in families.values() for line in lines)


def _families(lines: Iterable[str]) -> list[list[str]]:
    """The lines of each metric family: HELP, TYPE and its series."""
    families: list[list[str]] = []
    for line in lines:
        if line.startswith("# HELP "):
            families.append([])
        families[-1].append(line)
    return families


def _labelled(line: str, worker: int) -> str:
    """A line `name{label="value"} number` or `name number`, with the label `worker` added."""
    name, brace, rest = line.partition("{")
    if brace:
        return f'{name}{{worker="{worker}",{rest}'
    name, _, number = line.partition(" ")
    return f'{name}{{worker="{worker}"}} {number}'
