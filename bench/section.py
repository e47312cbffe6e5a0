"""The section of a part in the report, its targets, and the servers that every part can start."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from bench.before import EarlierVersion, Skipped
from bench.data import BenchDatabase
from bench.large_data import LargeData
from bench.measure import Measurement, Plan
from bench.processes import Process, free_port, module, serving
from bench.scale import Scale
from tests.faults.store import Store

COLUMNS = "what,service CPU us,database CPU us,total CPU us".split(",")


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
    notes: Sequence[str] = ()
    summary: str = ""
    """One sentence with the main figures, for docs/sizing.md."""


@dataclass(frozen=True)
class Bench:
    """The database, the earlier version, the plan, log folder and scale of a run, shared by all parts."""

    data: BenchDatabase
    before: EarlierVersion | Skipped
    plan: Plan
    folder: Path
    scale: Scale = field(default_factory=Scale)

    @cached_property
    def large(self) -> LargeData:
        """The large organizations of the database."""
        return LargeData(self.data, self.scale)

    def service(self, name: str = "ours", **environment: str) -> AbstractContextManager[Process]:
        """The service, pinned to its core."""
        command = module("bench.peers.ours", "--url", self.data.owner_url, "--port", "{port}")
        return serving(name, command, folder=self.folder, environment=environment)

    @contextmanager
    def service_with_graphql(self, name: str, **environment: str) -> Iterator[tuple[Process, Process]]:
        """The service, once as its public and once as its internal listener. No quota limits GraphQL."""
        internal = free_port()
        command = module("bench.peers.ours", "--url", self.data.owner_url, "--port", "{port}")
        command += ["--internal-port", str(internal)]
        environment = {"ORGDATA_GRAPHQL_QUOTA": "1000000000", **environment}
        with serving(name, command, folder=self.folder, environment=environment) as public:
            yield public, replace(public, port=internal)

    @contextmanager
    def service_before(self, notes: list[str]) -> Iterator[Process | None]:
        """The earlier version over the same rows; None, with a note, if it is skipped."""
        before = self.before
        if isinstance(before, EarlierVersion):
            before = before.with_rows(self.data)
        if isinstance(before, Skipped):
            print(before.reason, flush=True)
            notes.append(before.reason)
            yield None
            return
        notes.append(f"Before is {before.name}.")
        with before.service() as process:
            yield process

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
    """A table of medians over the rounds that count."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" + "|---:" * (len(COLUMNS) - 1) + "|"]
    return [*lines, *map(_line, results)]


def _line(result: Measurement) -> str:
    return f"| {result.name} | {result.cpu:,.0f} | {result.database_cpu:,.0f} | {result.total_cpu:,.0f} |"


def compared(what: str, rows: Mapping[str, Measurement], others: Mapping[str, Measurement | None]) -> str:
    """A note of the ratios of total CPU, for what is a figure and no target."""
    pairs = {name: (row.total_cpu, other) for name, row in rows.items() if (other := others[name]) is not None}
    ratios = [f"{name} {cpu / other.total_cpu:.2f} x" for name, (cpu, other) in pairs.items()]
    return f"{what}: {'; '.join(ratios) or 'skipped'}."


def at_most(what: str, value: float, limit: float, unit: str) -> Target:
    return Target(f"{what}: at most {limit:g}{unit}", f"{value:,.2f}{unit}", value <= limit)


def service_at_most(what: str, row: Measurement, other: Measurement | None, limit: float) -> Target:
    """A target for the service CPU, compared with another competitor; not measured if that was skipped."""
    return _ratio_at_most(f"{what}, service CPU", row.cpu, None if other is None else other.cpu, limit)


def total_at_most(what: str, row: Measurement, other: Measurement | None, limit: float) -> Target:
    """The same for the total CPU."""
    return _ratio_at_most(f"{what}, total CPU", row.total_cpu, None if other is None else other.total_cpu, limit)


def at_least(what: str, value: float, limit: float, unit: str) -> Target:
    return Target(f"{what}: at least {limit:g}{unit}", f"{value:,.2f}{unit}", value >= limit)


def _ratio_at_most(what: str, value: float, reference: float | None, limit: float) -> Target:
    if reference is None:
        return Target(f"{what}: at most {limit:g} x", "skipped", None)
    return at_most(what, value / reference, limit, " x")
