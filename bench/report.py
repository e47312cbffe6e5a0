"""bench/RESULTS.md: a table of targets and a section for each part. A run replaces only the parts that it measured."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import node
from bench.processes import BESIDE, ROOT, SERVED_ON
from bench.section import Section, Target

FILE = ROOT / "bench" / "RESULTS.md"

BUSY = 0.7
"""The load average above which a machine is not quiet."""

PRODUCT = ("db", "resolvers", "schema", "rest_facade")

PACKAGES = "psycopg sqlalchemy strawberry-graphql graphql-core starlette uvicorn uvloop httptools orjson".split()

INTRODUCTION = """
To repeat it: `make bench`, or some parts of it, `make bench ARGS="page refusals --rounds 3 --seconds 1"`; the other
parts keep their results. The parts `memory` and `usage` run only by name. `make bench ARGS=--help` prints the options.

The most reliable figures are CPU times (user and system) per request: of the server process ("service"), of all
processes of PostgreSQL ("database"), and of both ("total"), because moving work into the database saves nothing by
itself. Requests per second and latency also depend on the machine, because the database and the load client share the
other core. In each round all competitors take turns. Other guests of a host can make the CPU time of a core twice as
long, for seconds. So before and after each round a fixed loop is timed on each core, and each figure is the median over
the third of the rounds in which that loop was fastest. Peers connect as a superuser, who bypasses row-level security,
and check neither keys nor quotas. Ours is measured with all of that.

"Before" is an earlier commit of this repository, run beside it: its code and migrations, a database of its own on the
same server, the same rows.
"""

TARGETS_HEAD = ["## Targets", "", "| part | target | measured | holds |", "|---|---|---:|---|"]

VERDICTS: Mapping[str, bool | None] = {"yes": True, "**no**": False, "not measured": None}
"""What stands in the column `holds`."""

HEADING = re.compile(r"## (\w+): ")
TARGET_ROW = re.compile(r"\| (\w+) \| ")


@dataclass(frozen=True)
class Conditions:
    """The load average at the start of a run, and the commit that was measured."""

    load: float
    commit: str

    @classmethod
    def now(cls) -> "Conditions":
        commit = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", *PRODUCT)
        text = f"commit {commit}" if commit else "not in a checkout"
        return cls(os.getloadavg()[0], f"{text}, with changes" if changed else text)

    def load_line(self) -> str:
        """The load average, with a warning if other work makes the figures too high."""
        if self.load < BUSY:
            return f"- The machine was quiet at the start: load average {self.load:.1f}"
        return f"- **The machine was busy at the start: load average {self.load:.1f}. Figures are too high.**"


@dataclass(frozen=True)
class PartReport:
    """One part in the file: its rows of the table of targets, and its section from the heading on."""

    targets: Sequence[str]
    section: Sequence[str]

    @property
    def summary(self) -> str:
        """The sentence with the main figures, below the heading; empty if the section has none."""
        return "" if self.section[2].startswith("- ") else self.section[2]

    @property
    def verdicts(self) -> list[bool | None]:
        """Whether each target holds; None if it was not measured."""
        return [VERDICTS[row.rstrip(" |").rpartition("| ")[2]] for row in self.targets]


def environment(options: str, postgres: str, conditions: Conditions) -> list[str]:
    """When and on what a part was measured, as the first lines of its section."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    peers = node.versions() or "without Node and its peers"
    cores = f"the server process on {_cores(SERVED_ON)}, the load client and the database on {_cores(BESIDE)}"
    return [
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {options}; {conditions.commit}",
        f"- {_processor()}, {os.cpu_count()} cores: {cores}",
        f"- PostgreSQL {postgres}, unix socket; Python {platform.python_version()}; {packages}; {peers}",
        conditions.load_line(),
    ]


def part_report(part: str, section: Section, environment: Sequence[str]) -> PartReport:
    summary = [section.summary, ""] if section.summary else []
    lines = [f"## {part}: {section.title}", "", *summary, *environment, "", *section.lines]
    for note in section.notes:
        lines += ["", note]
    return PartReport([f"| {part} | {_cells(target)} |" for target in section.targets], lines)


def update(file: Path, measured: Mapping[str, PartReport], parts: Iterable[str]) -> None:
    """Write the parts that were measured, in the order of `parts`; other parts of the file stay as they are."""
    reports = {**(parse(file.read_text()) if file.exists() else {}), **measured}
    file.write_text(render({part: reports[part] for part in parts if part in reports}))


def render(reports: Mapping[str, PartReport]) -> str:
    lines = ["# Results", *INTRODUCTION.splitlines(), "", *TARGETS_HEAD]
    lines += [row for report in reports.values() for row in report.targets]
    for report in reports.values():
        lines += ["", *report.section]
    return "\n".join(lines) + "\n"


def parse(text: str) -> dict[str, PartReport]:
    """The parts of a rendered report."""
    targets: dict[str, list[str]] = {}
    sections: dict[str, list[str]] = {}
    part = None
    for line in text.splitlines():
        heading = HEADING.match(line)
        if heading is not None:
            part = heading[1]
            sections[part] = []
        if part is not None:
            sections[part].append(line)
        elif (row := TARGET_ROW.match(line)) is not None and line != TARGETS_HEAD[2]:
            targets.setdefault(row[1], []).append(line)
    return {
        part: PartReport(targets.get(part, []), "\n".join(lines).rstrip().split("\n"))
        for part, lines in sections.items()
    }


def _git(*words: str) -> str:
    if shutil.which("git") is None:
        return ""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _cores(cores: set[int]) -> str:
    return "core " + ", ".join(map(str, sorted(cores)))


def _cells(target: Target) -> str:
    verdict = next(text for text, holds in VERDICTS.items() if holds is target.holds)
    return f"{target.what} | {target.measured} | {verdict}"
