"""bench/RESULTS.md: what was measured, on what, and which targets hold."""

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import node
from bench.processes import BESIDE, ROOT, SERVED_ON
from bench.section import Section, Target

FILE = ROOT / "bench" / "RESULTS.md"

BUSY = 0.7
"""Load average from which on a machine is not quiet."""

PRODUCT = ("db", "resolvers", "schema", "rest_facade")

PACKAGES = "psycopg sqlalchemy strawberry-graphql graphql-core starlette uvicorn uvloop httptools orjson".split()

HOW = """
To repeat it: `make bench`, or some parts of it, `make bench ARGS="page refusals --rounds 3 --seconds 1"`.
`make bench ARGS=--help` tells the options.

The figure to trust is the CPU of the server process (user and system) per request; requests per second and latency
also follow the machine, since the database and the load client share the other core. Each figure is the median over
the rounds, in which all competitors take turns. Peers connect as a superuser, who passes row-level security, and
check neither keys nor quotas; ours is measured with all of that.
"""


@dataclass(frozen=True)
class Began:
    """What was so when a run began: the load average, and what was checked out."""

    load: float
    commit: str

    @classmethod
    def now(cls) -> "Began":
        commit = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", *PRODUCT)
        told = f"commit {commit}" if commit else "not in a checkout"
        return cls(os.getloadavg()[0], f"{told}, with changes" if changed else told)

    def quiet(self) -> str:
        """A warning where the machine had other work: figures are too high then, and ratios uncertain."""
        if self.load < BUSY:
            return f"- The machine was quiet when this began: load average {self.load:.1f}"
        return (
            f"- **The machine was busy with other work when this began: load average {self.load:.1f}. Figures are too"
            " high.**"
        )


def _git(*words: str) -> str:
    if shutil.which("git") is None:
        return ""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def text(sections: Sequence[Section], options: str, seconds: float, postgres: str, began: Began) -> str:
    """The whole report."""
    lines = ["# Results", "", *_about(options, seconds, postgres, began), *HOW.splitlines(), ""]
    targets = [target for section in sections for target in section.targets]
    lines += ["## Targets", "", "| target | measured | holds |", "|---|---:|---|"]
    lines += [f"| {target.what} | {target.measured} | {_holds(target)} |" for target in targets]
    for section in sections:
        lines += ["", f"## {section.title}", "", *section.lines]
        for note in section.notes:
            lines += ["", note]
    return "\n".join(lines) + "\n"


def _about(options: str, seconds: float, postgres: str, began: Began) -> list[str]:
    found = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    cores = f"the server process on {_cores(SERVED_ON)}, the load client and the database on {_cores(BESIDE)}"
    return [
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {seconds:.0f} s in all, {options}; {began.commit}",
        f"- {_processor()}, {os.cpu_count()} cores: {cores}",
        f"- PostgreSQL {postgres}, unix socket; Python {platform.python_version()}; {found}",
        f"- {node.versions() or 'without Node and PostGraphile'}",
        began.quiet(),
    ]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _cores(cores: set[int]) -> str:
    return "core " + ", ".join(map(str, sorted(cores)))


def _holds(target: Target) -> str:
    if target.holds is None:
        return "not measured"
    return "yes" if target.holds else "**no**"
