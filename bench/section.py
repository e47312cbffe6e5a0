"""What a part hands back: a table, and the targets it can speak of."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from bench.data import Data
from bench.measure import Plan, Row
from bench.processes import Process, module, serving


@dataclass(frozen=True)
class Target:
    """What was aimed at, what was measured; `holds` is None where it could not be measured."""

    what: str
    measured: str
    holds: bool | None


@dataclass(frozen=True)
class Section:
    """A part of the results, in Markdown."""

    title: str
    lines: Sequence[str]
    targets: Sequence[Target] = ()
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True)
class Bench:
    """What every part works with."""

    data: Data
    plan: Plan
    folder: Path

    def service(self, name: str = "ours", **environment: str) -> AbstractContextManager[Process]:
        """The service, pinned to its core."""
        command = module("bench.peers.ours", "--url", self.data.owner_url, "--port", "{port}")
        return serving(name, command, folder=self.folder, environment=environment)

    def peer(self, name: str) -> AbstractContextManager[Process]:
        """A peer that is a module of `bench.peers`, pinned to the same core."""
        command = module(f"bench.peers.{name}", "--url", self.data.url, "--port", "{port}")
        return serving(name, command, folder=self.folder)


def table(rows: Sequence[Row]) -> list[str]:
    """Medians over the rounds; of the CPU of the server, the spread as well."""
    lines = [
        "| what | CPU us / request | lowest - highest | database CPU us | requests / s | median ms | p99 ms |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    return [*lines, *map(_line, rows)]


def _line(row: Row) -> str:
    spread = f"{min(row.cpus):,.0f} - {max(row.cpus):,.0f}"
    figures = f"{row.database_cpu:,.0f} | {row.rate:,.0f} | {row.median:.2f} | {row.p99:.2f}"
    return f"| {row.name} | {row.cpu:,.0f} | {spread} | {figures} |"


def at_most(what: str, value: float, limit: float, unit: str) -> Target:
    return Target(f"{what}: at most {limit:g}{unit}", f"{value:,.2f}{unit}", value <= limit)


def at_least(what: str, value: float, limit: float, unit: str) -> Target:
    return Target(f"{what}: at least {limit:g}{unit}", f"{value:,.2f}{unit}", value >= limit)
