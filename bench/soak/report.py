"""bench/SOAK.md: the results of each minute of a soak test, and its targets."""

import os
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from bench.report import Conditions
from bench.section import Target, at_most
from bench.soak.load import MinuteResult, SteadyLoad
from bench.soak.operations import Operation
from bench.soak.polling import PollingResult
from tests.faults.service import Serving

RECOVERY_SECONDS = 1.0
"""How long after its end an operation may still cause failures."""

PAGE = os.sysconf("SC_PAGE_SIZE")

COLUMNS = "until minute,requests,errors,oldest data s,sent again,p50 ms,p99 ms,resident MB,descriptors".split(",")

MOST_LINES = 6
"""Lines of the table of minutes: each is of several minutes of a long run."""

HOW = """
To repeat it: `make soak`, or shorter, `make soak ARGS="--minutes 5"`.

Requests are sent at a steady rate, and a latency counts from the time at which a request was due. An error is any
unexpected response, also during a fault. A request is sent again if its kept-alive connection was closed. Some clients
ask for the next page over another connection. The age of data is the time of a response less its `X-Data-As-Of`. Rows
are edited at random, deleted and restored, and people erased. One client polls all the time; another, which read a week
ago, polls at the end. Memory is that of all processes, and compared in the second half, when all operations are done.
"""


@dataclass(frozen=True)
class ProcessSample:
    """Memory in MB and open descriptors of all processes of the service, `after` seconds from the start."""

    after: float
    rss: float
    descriptors: int

    @classmethod
    def of(cls, after: float, services: Sequence[Serving]) -> "ProcessSample":
        rss, descriptors = 0, 0
        for pid in (pid for service in services for pid in (service.process.pid, *service.children())):
            # A process may end meanwhile.
            with suppress(OSError):
                rss += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
                descriptors += sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        return cls(after, rss / 1e6, descriptors)


@dataclass(frozen=True)
class Done:
    """An operation, and its begin and end in seconds from the start."""

    operation: Operation
    after: float
    until: float

    def explains(self, moment: float, failure: str) -> bool:
        """Whether the operation may cause this failure, at most RECOVERY_SECONDS after its end."""
        return failure == self.operation.allows and self.after <= moment <= self.until + RECOVERY_SECONDS


@dataclass(frozen=True)
class Results:
    """What a soak test measured, and the servers that it used."""

    load: SteadyLoad
    samples: Sequence[ProcessSample]
    polling: PollingResult
    done: Sequence[Done]
    servers: str

    @property
    def failures(self) -> list[tuple[float, str]]:
        """All requests that failed, those of the polling client included."""
        return sorted([*self.load.failures, *self.polling.failures])

    @property
    def unexplained(self) -> int:
        """How many requests failed for no reason that an operation allows."""
        return sum(not any(each.explains(*failure) for each in self.done) for failure in self.failures)


def text(results: Results, options: Namespace, conditions: Conditions) -> str:
    """The whole report."""
    minutes, polling = results.load.minutes, results.polling
    options_text = f"{options.minutes:g} minutes at {options.rate:g} requests a second, {options.workers} workers"
    lines = [
        "# Soak",
        "",
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {options_text} in two instances; {conditions.commit}",
        f"- {results.servers}",
        conditions.load_line(),
    ]
    for each in results.done:
        failed = [moment for moment, failure in results.failures if each.explains(moment, failure)]
        allowed = f": {len(failed)} x {each.operation.allows} in {failed[-1] - failed[0]:.1f} s" if failed else ""
        lines.append(f"- After {each.after:.0f} s, for {each.until - each.after:.1f} s: {each.operation.name}{allowed}")
    lines.append(
        f"- Meanwhile {polling.edits:,} edits of an organization, and {polling.polls:,} polls of all its lists"
    )
    lines += [*HOW.splitlines(), "", "## Targets", "", "| target | measured | holds |", "|---|---:|---|"]
    for target in (*targets(results, options.minutes * 60), *polling_targets(polling)):
        lines.append(f"| {target.what} | {target.measured} | {'yes' if target.holds else '**no**'} |")
    lines += [
        "",
        "## Minutes",
        "",
        "p50 is the median of minutes, p99 the highest; memory and descriptors are at the end.",
    ]
    lines += ["", f"| {' | '.join(COLUMNS)} |", "|---:|---:|---|---:|---:|---:|---:|---:|---:|"]
    length = -(-len(minutes) // MOST_LINES)
    for first in range(0, len(minutes), length):
        lines.append(_line(first, minutes[first : first + length], results.samples))
    return "\n".join(lines) + "\n"


def targets(results: Results, seconds: float) -> list[Target]:
    """The targets. Memory and descriptors count in the second half, after all operations."""
    minutes = results.load.minutes
    requests = sum(minute.requests for minute in minutes)
    # Connections are closed at the end of the load.
    later = [each for each in results.samples if seconds / 2 <= each.after < seconds - 2] or results.samples[-1:]
    descriptors = [sample.descriptors for sample in later]
    return [
        at_most(f"Of {requests:,} requests failed, but 503 without a store", results.unexplained, 0, ""),
        at_most("Oldest data of a response", max(minute.age for minute in minutes), 30, " s"),
        at_most("Growth of memory in 10 minutes", slope(later) * 600, 1, " MB"),
        at_most("Descriptors, most over fewest, while nothing fails", max(descriptors) - min(descriptors), 8, ""),
        at_most("p99, last minute compared with the first", p(minutes[-1], 99) / p(minutes[0], 99), 1.2, " x"),
    ]


def polling_targets(polling: PollingResult) -> list[Target]:
    """The clients that poll have in the end what a full read has."""
    clients = {"steady": "all the time", "away": "once after a week"}
    return [
        Target(
            f"Rows of a client that polls {what}, other than in a full read: none",
            f"{polling.different.get(name, 'not read')} of {polling.rows.get(name, 0):,}",
            polling.different.get(name) == 0 and min(polling.edits, polling.polls, polling.rows[name]) > 0,
        )
        for name, what in clients.items()
    ]


def slope(samples: Sequence[ProcessSample]) -> float:
    """MB per second, by least squares."""
    x = sum(sample.after for sample in samples) / len(samples)
    y = sum(sample.rss for sample in samples) / len(samples)
    spread = sum((sample.after - x) ** 2 for sample in samples)
    return sum((sample.after - x) * (sample.rss - y) for sample in samples) / spread if spread else 0.0


def p(minute: MinuteResult, percent: int) -> float:
    """A percentile of the latencies of a minute, in milliseconds."""
    ordered = sorted(minute.latencies)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000


def _descriptors(samples: Sequence[ProcessSample], number: int) -> float:
    return median(sample.descriptors for sample in _of(samples, number))


def _of(samples: Sequence[ProcessSample], number: int) -> list[ProcessSample]:
    return [sample for sample in samples if number * 60 <= sample.after < (number + 1) * 60] or [samples[-1]]


def _line(first: int, minutes: Sequence[MinuteResult], samples: Sequence[ProcessSample]) -> str:
    """The line of consecutive minutes, of which the first has this number."""
    last = first + len(minutes) - 1
    found = sum((minute.errors for minute in minutes), Counter[str]())
    errors = ", ".join(f"{count} x {what}" for what, count in sorted(found.items())) or "0"
    times = f"{median(p(minute, 50) for minute in minutes):.1f} | {max(p(minute, 99) for minute in minutes):.1f}"
    resident = median(sample.rss for sample in _of(samples, last))
    requests, age = sum(minute.requests for minute in minutes), max(minute.age for minute in minutes)
    cells = f"{requests:,} | {errors} | {age:.1f} | {sum(minute.repeated for minute in minutes)} | {times}"
    return f"| {last + 1} | {cells} | {resident:.1f} | {_descriptors(samples, last):.0f} |"
