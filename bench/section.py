"""The section of a part in the report, its targets, and the servers that every part can start."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.data import BenchDatabase
from bench.measure import Measurement, Plan
from bench.processes import Process, module, serving
from tests.faults.store import Store


@dataclass(frozen=True)
class Target:
    """A target and the measured value; `holds` is None if it could not be measured."""

    what: str
    measured: str
    holds: bool | None


@dataclass(frozen=True)
class Section:
    """The results of one part, in Markdown."""

    title: str
    lines: Sequence[str]
    targets: Sequence[Target] = ()
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Bench:
    """The database, plan and log folder of a run, shared by all parts."""

    data: BenchDatabase
    plan: Plan
    folder: Path

    def service(self, name: str = "ours", **environment: str) -> AbstractContextManager[Process]:
        """The service, pinned to its core."""
        command = module("bench.peers.ours", "--url", self.data.owner_url, "--port", "{port}")
        return serving(name, command, folder=self.folder, environment=environment)

    @contextmanager
    def service_with_store(self, name: str, **environment: str) -> Iterator[Process]:
        """The service as one of several workers runs: it counts in a Redis, which has the other cores."""
        with (
            tempfile.TemporaryDirectory(prefix="orgdata-bench-store-") as folder,
            Store(Path(folder)) as store,
            self.service(name, ORGDATA_QUOTA_STORE=store.url, **environment) as process,
        ):
            yield process

    def peer(self, name: str) -> AbstractContextManager[Process]:
        """A peer that is a module of `bench.peers`, pinned to the same core."""
        command = module(f"bench.peers.{name}", "--url", self.data.url, "--port", "{port}")
        return serving(name, command, folder=self.folder)


def table(results: Sequence[Measurement]) -> list[str]:
    """A table of medians over the rounds, with the lowest and highest CPU of the server."""
    lines = [
        "| what | CPU us / request | lowest - highest | database CPU us | requests / s | median ms | p99 ms |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    return [*lines, *map(_line, results)]


def _line(result: Measurement) -> str:
    spread = f"{min(result.cpus):,.0f} - {max(result.cpus):,.0f}"
    figures = f"{result.database_cpu:,.0f} | {result.rate:,.0f} | {result.median:.2f} | {result.p99:.2f}"
    return f"| {result.name} | {result.cpu:,.0f} | {spread} | {figures} |"


def at_most(what: str, value: float, limit: float, unit: str) -> Target:
    return Target(f"{what}: at most {limit:g}{unit}", f"{value:,.2f}{unit}", value <= limit)


def at_least(what: str, value: float, limit: float, unit: str) -> Target:
    return Target(f"{what}: at least {limit:g}{unit}", f"{value:,.2f}{unit}", value >= limit)
