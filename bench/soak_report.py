"""bench/SOAK.md: what each minute of a soak looked like, and which targets hold."""

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from bench.report import Began
from bench.section import Target, at_most
from bench.soak_load import Minute
from tests.faults.service import Serving

PAGE = os.sysconf("SC_PAGE_SIZE")

COLUMNS = "minute,requests,errors,outside the envelope,sent again,p50 ms,p99 ms,resident MB,descriptors".split(",")

HOW = """
To repeat it: `make soak`, or shorter, `make soak ARGS="--minutes 2"`.

Load comes at a steady rate, however fast it is answered, and a latency counts from the moment a request was due. An
error is any answer but the right one, what a fault costs included; it is told in the envelope unless the connection
was cut. What was sent again met a connection that had been kept and was closed: idle ones are ended after some
seconds, and a fault ends all of a process.

Memory is the resident memory of all processes of the service together; pages that they share count in each. Memory and
descriptors are compared in the second half: a fault makes the pools of connections grow to their size, once.
"""


@dataclass(frozen=True)
class Sample:
    """Memory in MB and open descriptors of all processes of the service, `after` so many seconds."""

    after: float
    rss: float
    descriptors: int

    @classmethod
    def of(cls, after: float, service: Serving) -> "Sample":
        rss, descriptors = 0, 0
        for pid in (service.process.pid, *service.children()):
            # One that ends meanwhile has nothing.
            with suppress(OSError):
                rss += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
                descriptors += sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        return cls(after, rss / 1e6, descriptors)


def text(
    minutes: Sequence[Minute], samples: Sequence[Sample], happened: Mapping[str, float], options: Namespace, so: Began
) -> str:
    """The whole report."""
    told = f"{options.minutes:g} minutes at {options.rate:g} requests a second, {options.workers} workers"
    lines = ["# Soak", "", f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {told}; {so.commit}", so.quiet()]
    lines += [f"- After {after:.0f} s: {name}" for name, after in happened.items()]
    lines += [*HOW.splitlines(), "", "## Targets", "", "| target | measured | holds |", "|---|---:|---|"]
    for target in targets(minutes, samples, options.minutes * 60):
        lines.append(f"| {target.what} | {target.measured} | {'yes' if target.holds else '**no**'} |")
    lines += ["", "## By minute", "", f"| {' | '.join(COLUMNS)} |", "|---:|---:|---|---:|---:|---:|---:|---:|---:|"]
    lines += [_line(number, minute, samples) for number, minute in enumerate(minutes)]
    return "\n".join(lines) + "\n"


def targets(minutes: Sequence[Minute], samples: Sequence[Sample], seconds: float) -> list[Target]:
    """Whether it held. Memory and descriptors count from half of the time on, when all that fails has failed."""
    requests = sum(minute.requests for minute in minutes)
    errors = sum(minute.errors.total() for minute in minutes)
    # Once the load is over, its connections are closed.
    later = [sample for sample in samples if seconds / 2 <= sample.after < seconds - 2]
    held = [sample.descriptors for sample in later]
    return [
        at_most("Requests that failed", errors / requests * 100, 0.5, " %"),
        at_most("Of those, outside the envelope", sum(minute.outside for minute in minutes), 20, ""),
        at_most("Growth of memory in 10 minutes", slope(later) * 600, 1, " MB"),
        at_most("Descriptors, most over fewest, while nothing fails", max(held) - min(held), 8, ""),
        at_most("p99, last minute compared with the first", p(minutes[-1], 99) / p(minutes[0], 99), 1.2, " x"),
    ]


def slope(samples: Sequence[Sample]) -> float:
    """MB a second, by least squares."""
    x = sum(sample.after for sample in samples) / len(samples)
    y = sum(sample.rss for sample in samples) / len(samples)
    spread = sum((sample.after - x) ** 2 for sample in samples)
    return sum((sample.after - x) * (sample.rss - y) for sample in samples) / spread if spread else 0.0


def p(minute: Minute, percent: int) -> float:
    """A percentile of the latencies of a minute, in milliseconds."""
    ordered = sorted(minute.latencies)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000


def _descriptors(samples: Sequence[Sample], number: int) -> float:
    return median(sample.descriptors for sample in _of(samples, number))


def _of(samples: Sequence[Sample], number: int) -> list[Sample]:
    return [sample for sample in samples if number * 60 <= sample.after < (number + 1) * 60] or [samples[-1]]


def _line(number: int, minute: Minute, samples: Sequence[Sample]) -> str:
    errors = ", ".join(f"{count} x {what}" for what, count in sorted(minute.errors.items())) or "0"
    times = f"{p(minute, 50):.1f} | {p(minute, 99):.1f}"
    held = f"{median(sample.rss for sample in _of(samples, number)):.1f} | {_descriptors(samples, number):.0f}"
    return (
        f"| {number + 1} | {minute.requests:,} | {errors} | {minute.outside} | {minute.repeated} | {times} | {held} |"
    )
