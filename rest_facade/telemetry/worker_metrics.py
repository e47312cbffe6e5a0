"""Metrics of all workers in one scrape."""

from rest_facade.telemetry.metrics import Metrics
from rest_facade.telemetry.worker_sockets import WorkerSockets

METRICS_REQUEST = "metrics"
"""The name of the request that other workers answer with their metrics."""


async def read_metrics(metrics: Metrics, sockets: WorkerSockets | None) -> bytes:
    """The metrics of a process; with `sockets` those of all workers, each with the label `worker`."""
    if sockets is None:
        return metrics.exposition()
    by_worker = {sockets.number: metrics.exposition(), **await sockets.ask(METRICS_REQUEST)}
    return merged({worker: text.decode() for worker, text in sorted(by_worker.items()) if text}).encode()


def merged(texts: dict[int, str]) -> str:
    """Merge texts in the Prometheus format, with the label `worker`; the series of a family must stand together."""
    families: dict[str, list[str]] = {}
    for worker, text in texts.items():
        lines: list[str] = []
        for line in text.splitlines():
            if line.startswith("# HELP "):
                lines = families.setdefault(line, [line])
            elif not line.startswith("# TYPE "):
                lines.append(_labelled(line, worker))
            elif len(lines) == 1:
                lines.append(line)
    return "".join(f"{line}\n" for lines in families.values() for line in lines)


def _labelled(line: str, worker: int) -> str:
    """A line `name{label="value"} number` or `name number`, with the label `worker` added."""
    name, brace, rest = line.partition("{")
    if brace:
        return f'{name}{{worker="{worker}",{rest}'
    name, _, number = line.partition(" ")
    return f'{name}{{worker="{worker}"}} {number}'
