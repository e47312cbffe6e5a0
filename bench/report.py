"""bench/RESULTS.md: a table of targets and a section for each part. A run replaces only the parts that it measured."""

import itertools
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench import node
from bench.processes import ROOT
from bench.section import Section, Target

FILE = ROOT / "bench" / "RESULTS.md"

BUSY = 0.7
"""The load average above which a machine is not quiet."""

PRODUCT = ("db", "resolvers", "schema", "rest_facade")

INTRODUCTION = """
To repeat it: `make bench`, or some parts of it, `make bench ARGS="page refusals --rounds 3 --seconds 1"`; the other
parts keep their results. The parts `memory` and `usage` run only by name. `make bench ARGS=--help` prints the options.

The figures to compare are CPU times (user and system) per request: of the server process ("service"), of all
processes of PostgreSQL ("database"), and of both ("total"). Latency also depends on the machine, because the database
and the load client share a core. In each round all competitors take turns. Before and after each round a fixed loop is
timed on each core; each figure is the median over the third of the rounds in which that loop was fastest, because other
guests of a host slow a core down. Peers connect as a superuser, who bypasses row-level security, and check neither keys
nor quotas. Ours is measured with all of that. Parts without a date were measured with the one before. Versions of
libraries are those that `requirements.txt` of the commit pins.

"Before" is an earlier commit of this repository with a database of its own: the same server, the same rows.
"""

TARGETS_HEAD = ["## Targets", "", "| part | target | measured | holds |", "|---|---|---:|---|"]

VERDICTS: Mapping[str, bool | None] = {"yes": True, "**no**": False, "not measured": None}
"""What stands in the column `holds`."""

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
            return f"- Load average {self.load:.1f}"
        return f"- **Load average {self.load:.1f}: figures are too high**"


@dataclass(frozen=True)
class PartReport:
    """One part in the file: its rows of the table of targets, when and on what it was measured, and its section."""

    targets: Sequence[str]
    conditions: Sequence[str]
    section: Sequence[str]

    @property
    def summary(self) -> str:
        """The sentence with the main figures, below the heading; empty if the section has none."""
        return "" if self.section[2].startswith("|") else self.section[2]

    @property
    def verdicts(self) -> list[bool | None]:
        """Whether each target holds; None if it was not measured."""
        return [VERDICTS[row.rstrip(" |").rpartition("| ")[2]] for row in self.targets]


def environment(options: str, postgres: str, conditions: Conditions) -> list[str]:
    """When and on what a part was measured. The next part has these lines only if they are others."""
    peers = node.versions() or "without Node and its peers"
    machine = f"{_processor()}, {os.cpu_count()} cores"
    return [
        f"- {datetime.now(UTC):%Y-%m-%d}, {options}; {conditions.commit}; {machine}",
        f"- PostgreSQL {postgres}; Python {platform.python_version()}; {peers}",
        conditions.load_line(),
    ]


def part_report(part: str, section: Section, environment: Sequence[str]) -> PartReport:
    summary = [section.summary, ""] if section.summary else []
    lines = [f"## {part}: {section.title}", "", *summary, *section.lines]
    for note in section.notes:
        lines += ["", note]
    return PartReport([f"| {part} | {_cells(target)} |" for target in section.targets], environment, lines)


def update(file: Path, measured: Mapping[str, PartReport], parts: Iterable[str]) -> None:
    """Write the parts that were measured, in the order of `parts`; other parts of the file stay as they are."""
    reports = {**(parse(file.read_text()) if file.exists() else {}), **measured}
    file.write_text(render({part: reports[part] for part in parts if part in reports}))


def render(reports: Mapping[str, PartReport]) -> str:
    lines = ["# Results", *INTRODUCTION.splitlines(), "", *TARGETS_HEAD]
    lines += [row for report in reports.values() for row in report.targets]
    before: Sequence[str] = ()
    for report in reports.values():
        heading, *section = report.section
        lines += ["", heading, *([] if report.conditions == before else ["", *report.conditions]), *section]
        before = report.conditions
    return "\n".join(lines) + "\n"


def parse(text: str) -> dict[str, PartReport]:
    """The parts of a rendered report."""
    head, *sections = re.split(r"\n(?=## \w+: )", text)
    targets = [(row[1], row.string) for row in map(TARGET_ROW.match, head.splitlines()) if row is not None]
    parts: dict[str, PartReport] = {}
    conditions: list[str] = []
    for section in sections:
        heading, _, *lines = section.rstrip().splitlines()
        conditions = list(itertools.takewhile(lambda line: line.startswith("- "), lines)) or conditions
        if lines[0].startswith("- "):
            lines = lines[len(conditions) + 1 :]
        part = heading.removeprefix("## ").partition(":")[0]
        rows = [line for name, line in targets if name == part and line != TARGETS_HEAD[2]]
        parts[part] = PartReport(rows, conditions, [heading, "", *lines])
    return parts


def _git(*words: str) -> str:
    if shutil.which("git") is None:
        return ""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _cells(target: Target) -> str:
    verdict = next(text for text, holds in VERDICTS.items() if holds is target.holds)
    return f"{target.what} | {target.measured} | {verdict}"
