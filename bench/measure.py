"""Rounds of load against several servers in turn, so that noise of the machine affects all of them alike."""

import base64
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from bench.processes import BESIDE, CORES, Process, clean_environment, end, module, pinned

NO_LIMIT = 10_000_000

FIRST_SECONDS = 60.0
"""Seconds in which the first requests on a new connection must be answered."""

WARM_REQUESTS = 3_000
WARM_ROUNDS = 3
"""Warm-up before the first round, for just-in-time compilers: this many requests or rounds, whichever ends first."""

QUIET_SHARE = 3
"""One of so many rounds counts. Other guests of a host can make the CPU time of a core twice as long, for seconds."""

LOOP = 100_000
"""Steps of the loop that shows how fast a core is: some milliseconds."""


@dataclass(frozen=True)
class Sample:
    """One round of one server: the number of requests, and their cost in seconds.

    `slowness` is that of the machine, before or after the round: see `slowness`.
    """

    requests: int
    seconds: float
    cpu: float
    database_cpu: float
    p99: float
    longest: float
    slowness: float


@dataclass(frozen=True)
class Measurement:
    """The rounds of one competitor. CPU in microseconds per request, latencies in milliseconds.

    All figures are medians over the third of the rounds in which the machine was fastest.
    """

    name: str
    rounds: Sequence[Sample]

    @cached_property
    def samples(self) -> Sequence[Sample]:
        """The rounds in which the machine was fastest."""
        return sorted(self.rounds, key=lambda each: each.slowness)[: max(1, len(self.rounds) // QUIET_SHARE)]

    @property
    def cpu(self) -> float:
        return median(sample.cpu / sample.requests * 1e6 for sample in self.samples)

    @property
    def database_cpu(self) -> float:
        return median(sample.database_cpu / sample.requests * 1e6 for sample in self.samples)

    @property
    def total_cpu(self) -> float:
        """CPU of the server and of the database together."""
        return median((sample.cpu + sample.database_cpu) / sample.requests * 1e6 for sample in self.samples)

    @property
    def rate(self) -> float:
        return median(sample.requests / sample.seconds for sample in self.samples)

    @property
    def p99(self) -> float:
        return median(sample.p99 for sample in self.samples) * 1e3

    @property
    def longest(self) -> float:
        return max(sample.longest for sample in self.rounds) * 1e3


class LoadClient:
    """Load on one server: requests that a process sends. `number` says which of the lists of that process."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, number: int) -> None:
        self._process = process
        self._port = port
        self._number = number

    def run(
        self, *, seconds: float, connections: int, most: int = NO_LIMIT, statuses: frozenset[str] = frozenset({"200"})
    ) -> dict[str, Any]:
        """Load for at most `seconds` and `most` requests. SystemExit if a status is not in `statuses`."""
        job = {"port": self._port, "seconds": seconds, "connections": connections, "most": most}
        _send(self._process, {"requests": self._number, **job})
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("bench: the load client ended early; its error is above.")
        result: dict[str, Any] = json.loads(line)
        if not result["requests"] or set(result["statuses"]) - statuses:
            raise SystemExit(f"bench: expected statuses {sorted(statuses)}, got {result['statuses']}.")
        return result


def _send(process: subprocess.Popen[bytes], message: Any) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


@dataclass(frozen=True)
class Competitor:
    """A server and the requests that are sent to it. Several competitors can share a server."""

    name: str
    process: Process
    requests: Sequence[bytes]
    statuses: frozenset[str] = frozenset({"200"})


@contextmanager
def loading(port: int, requests: Sequence[bytes]) -> Iterator[LoadClient]:
    """A load client on the cores that the servers do not use."""
    with loading_in_turns([(port, requests)]) as [load]:
        yield load


@contextmanager
def loading_in_turns(loads: Sequence[tuple[int, Sequence[bytes]]]) -> Iterator[list[LoadClient]]:
    """Load clients for ports and their requests. They share a process, so only one of them runs at a time."""
    with pinned(BESIDE):
        process = subprocess.Popen(
            module("bench.load_client"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_environment()
        )
    with process:  # closes its pipes
        try:
            _send(process, [[base64.b64encode(request).decode() for request in requests] for _, requests in loads])
            yield [LoadClient(process, port, number) for number, (port, _) in enumerate(loads)]
        finally:
            end(process)


@dataclass(frozen=True)
class Plan:
    """The rounds to measure, a folder for files, and a function that reads the CPU time of the database.

    A round, and the warm-up before the first one, has at most `most` requests.
    """

    rounds: int
    seconds: float
    folder: Path
    database_cpu: Callable[[], Mapping[int, float]]
    most: int = NO_LIMIT

    def results(
        self, competitors: Sequence[Competitor], *, connections: int = 8, share: float = 1.0
    ) -> list[Measurement]:
        """The measurement of each competitor. A round takes `share` of the plan's seconds."""
        with loading_in_turns([(each.process.port, each.requests) for each in competitors]) as loads:
            for each, load in zip(competitors, loads, strict=True):
                load.run(
                    seconds=WARM_ROUNDS * self.seconds * share,
                    connections=connections,
                    most=min(WARM_REQUESTS, self.most),
                    statuses=each.statuses,
                )
            samples: list[list[Sample]] = [[] for _ in competitors]
            for _ in range(self.rounds):
                for each, load, rounds in zip(competitors, loads, samples, strict=True):
                    rounds.append(self._sample(each, load, connections, self.seconds * share, self.most))
        return [Measurement(each.name, rounds) for each, rounds in zip(competitors, samples, strict=True)]

    def first_results(
        self, competitors: Sequence[Competitor], renew: Callable[[Competitor], None], count: int
    ) -> list[Measurement]:
        """The measurement of the first requests after `renew`, which ends a server's connections to the database."""
        results = []
        with loading_in_turns([(each.process.port, each.requests) for each in competitors]) as loads:
            for each, load in zip(competitors, loads, strict=True):
                # What the service itself keeps of an operation is no part of the measurement.
                load.run(seconds=FIRST_SECONDS, connections=1, most=count, statuses=each.statuses)
                samples = []
                for _ in range(self.rounds):
                    renew(each)
                    samples.append(self._sample(each, load, 1, FIRST_SECONDS, count))
                results.append(Measurement(each.name, samples))
        return results

    def _sample(self, competitor: Competitor, load: LoadClient, connections: int, seconds: float, most: int) -> Sample:
        slow = slowness()
        backends, cpu = self.database_cpu(), competitor.process.cpu()
        load_result = load.run(seconds=seconds, connections=connections, most=most, statuses=competitor.statuses)
        cpu, after = competitor.process.cpu() - cpu, self.database_cpu()
        # Backends that were started during the round count in full.
        database_seconds = sum(used - backends.get(pid, 0.0) for pid, used in after.items())
        return Sample(
            load_result["requests"],
            load_result["seconds"],
            cpu,
            database_seconds,
            load_result["p99"],
            load_result["longest"],
            max(slow, slowness()),
        )


def slowness() -> float:
    """Seconds of CPU that a fixed loop takes, on the slowest of the cores."""
    return max(_loop_seconds(core) for core in CORES)


def _loop_seconds(core: int) -> float:
    with pinned({core}):
        began = process_time()
        for _ in range(LOOP):
            pass
        return process_time() - began
