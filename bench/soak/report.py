"""bench/SOAK.md: the results of each minute of a soak test, and its targets."""

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from bench.report import Conditions
from bench.section import Target, at_most
from bench.soak.load import MinuteResult
from bench.soak.polling import PollingResult
from tests.faults.service import Serving

PAGE = os.sysconf("SC_PAGE_SIZE")

COLUMNS = "minute,requests,errors,outside the envelope,sent again,p50 ms,p99 ms,resident MB,descriptors".split(",")

HOW = """
To repeat it: `make soak`, or shorter, `make soak ARGS="--minutes 2"`.

Requests are sent at a steady rate, independent of response times, and a latency counts from the time at which a request
was due. An error is any unexpected response, also during a fault; it has the error envelope unless the connection was
closed. A request is sent again if its kept-alive connection was closed: the service closes idle connections after some
seconds, and a fault closes all connections of a process.

Rows of an organization are edited at random, deleted and restored, and people erased, all the time and in the week
before. One client polls its lists, reports and objects all the time; one that read them a week ago polls at the end.

Memory is the resident memory of all processes of the service together; shared pages count in each. Memory and
descriptors are compared in the second half, because a fault makes the connection pools grow to their full size once.
"""


@dataclass(frozen=True)
class ProcessSample:
    """Memory in MB and open descriptors of all processes of the service, `after` seconds from the start."""

    after: float
    rss: float
    descriptors: int

    @classmethod
    def of(cls, after: float, service: Serving) -> "ProcessSample":
        rss, descriptors = 0, 0
        for pid in (service.process.pid, *service.children()):
            # A process may end meanwhile.
            with suppress(OSError):
                rss += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
                descriptors += sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        return cls(after, rss / 1e6, descriptors)


def text(
    minutes: Sequence[MinuteResult],
    samples: Sequence[ProcessSample],
    polling: PollingResult,
    fault_times: Mapping[str, float],
    options: Namespace,
    conditions: Conditions,
) -> str:
    """The whole report."""
    options_text = f"{options.minutes:g} minutes at {options.rate:g} requests a second, {options.workers} workers"
    lines = [
        "# Soak",
        "",
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {options_text}; {conditions.commit}",
        conditions.load_line(),
    ]
    lines += [f"- After {after:.0f} s: {name}" for name, after in fault_times.items()]
    lines.append(
        f"- Meanwhile {polling.edits:,} edits of an organization, and {polling.polls:,} polls of all its lists"
    )
    lines += [*HOW.splitlines(), "", "## Targets", "", "| target | measured | holds |", "|---|---:|---|"]
    for target in (*targets(minutes, samples, options.minutes * 60), *polling_targets(polling)):
        lines.append(f"| {target.what} | {target.measured} | {'yes' if target.holds else '**no**'} |")
    lines += ["", "## By minute", "", f"| {' | '.join(COLUMNS)} |", "|---:|---:|---|---:|---:|---:|---:|---:|---:|"]
    lines += [_line(number, minute, samples) for number, minute in enumerate(minutes)]
    return "\n".join(lines) + "\n"


def targets(minutes: Sequence[MinuteResult], samples: Sequence[ProcessSample], seconds: float) -> list[Target]:
    """The targets. Memory and descriptors count in the second half, after all faults."""
    requests = sum(minute.requests for minute in minutes)
    errors = sum(minute.errors.total() for minute in minutes)
    # Connections are closed at the end of the load.
    later = [sample for sample in samples if seconds / 2 <= sample.after < seconds - 2]
    descriptors = [sample.descriptors for sample in later]
    return [
        at_most("Requests that failed", errors / requests * 100, 0.5, " %"),
        at_most("Of those, outside the envelope", sum(minute.outside for minute in minutes), 20, ""),
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


def _line(number: int, minute: MinuteResult, samples: Sequence[ProcessSample]) -> str:
    errors = ", ".join(f"{count} x {what}" for what, count in sorted(minute.errors.items())) or "0"
    times = f"{p(minute, 50):.1f} | {p(minute, 99):.1f}"
    resident = median(sample.rss for sample in _of(samples, number))
    cells = f"{minute.requests:,} | {errors} | {minute.outside} | {minute.repeated} | {times}"
    return f"| {number + 1} | {cells} | {resident:.1f} | {_descriptors(samples, number):.0f} |"
