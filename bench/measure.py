"""Rounds of load against several servers in turn, so that the noise of the machine hits all alike."""

import base64
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.processes import BESIDE, Process, clean_environment, end, module, pinned

MOST = 10_000_000

WARM_REQUESTS = 3_000
WARM_ROUNDS = 3
"""Before the first round: so many requests, or as long as so many rounds. Whoever compiles while running needs that."""


@dataclass(frozen=True)
class Sample:
    """One round: what one server was asked for, and what that cost."""

    requests: int
    seconds: float
    cpu: float
    database_cpu: float
    median: float
    p99: float


@dataclass(frozen=True)
class Row:
    """All rounds of one competitor. CPU in microseconds a request, latencies in milliseconds."""

    name: str
    samples: Sequence[Sample]

    @property
    def cpu(self) -> float:
        return median(self.cpus)

    @property
    def cpus(self) -> list[float]:
        return [sample.cpu / sample.requests * 1e6 for sample in self.samples]

    @property
    def database_cpu(self) -> float:
        return median(sample.database_cpu / sample.requests * 1e6 for sample in self.samples)

    @property
    def cost(self) -> float:
        """CPU of the server and of the database together."""
        return median((sample.cpu + sample.database_cpu) / sample.requests * 1e6 for sample in self.samples)

    @property
    def rate(self) -> float:
        return median(sample.requests / sample.seconds for sample in self.samples)

    @property
    def median(self) -> float:
        return median(sample.median for sample in self.samples) * 1e3

    @property
    def p99(self) -> float:
        return median(sample.p99 for sample in self.samples) * 1e3


class Load:
    """The load client's process with its requests; `run` lets it work for a while."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, requests: Sequence[bytes]) -> None:
        self._process = process
        self._port = port
        self._tell([base64.b64encode(request).decode() for request in requests])

    def run(
        self, *, seconds: float, connections: int, most: int = MOST, statuses: frozenset[str] = frozenset({"200"})
    ) -> dict[str, Any]:
        """Load of at most `seconds` and `most` requests. Stops the bench where an answer is not of `statuses`."""
        self._tell({"port": self._port, "seconds": seconds, "connections": connections, "most": most})
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("bench: the load client ended early; its last words stand above.")
        found: dict[str, Any] = json.loads(line)
        if not found["requests"] or set(found["statuses"]) - statuses:
            raise SystemExit(f"bench: expected answers {sorted(statuses)}, got {found['statuses']}.")
        return found

    def _tell(self, what: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")
        self._process.stdin.flush()


@dataclass(frozen=True)
class Competitor:
    """A server with what it is asked for; a server can appear in several."""

    name: str
    process: Process
    requests: Sequence[bytes]
    statuses: frozenset[str] = frozenset({"200"})


@contextmanager
def loading(port: int, requests: Sequence[bytes]) -> Iterator[Load]:
    """A load client for some requests, beside the server's core."""
    with pinned(BESIDE):
        process = subprocess.Popen(
            module("bench.load"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_environment()
        )
    try:
        yield Load(process, port, requests)
    finally:
        end(process)


@dataclass(frozen=True)
class Plan:
    """How much is measured, where files may lie, and how the CPU of the database is read."""

    rounds: int
    seconds: float
    folder: Path
    database_cpu: Callable[[], Mapping[int, float]]

    def rows(self, competitors: Sequence[Competitor], *, connections: int = 8, share: float = 1.0) -> list[Row]:
        """A row for each competitor; `share` of the usual seconds a round."""
        with ExitStack() as stack:
            loads = [stack.enter_context(loading(each.process.port, each.requests)) for each in competitors]
            for each, load in zip(competitors, loads, strict=True):
                load.run(
                    seconds=WARM_ROUNDS * self.seconds * share,
                    connections=connections,
                    most=WARM_REQUESTS,
                    statuses=each.statuses,
                )
            samples: list[list[Sample]] = [[] for _ in competitors]
            for _ in range(self.rounds):
                for each, load, found in zip(competitors, loads, samples, strict=True):
                    found.append(self._sample(each, load, connections, self.seconds * share))
        return [Row(each.name, found) for each, found in zip(competitors, samples, strict=True)]

    def _sample(self, competitor: Competitor, load: Load, connections: int, seconds: float) -> Sample:
        backends, cpu = self.database_cpu(), competitor.process.cpu()
        done = load.run(seconds=seconds, connections=connections, statuses=competitor.statuses)
        cpu, after = competitor.process.cpu() - cpu, self.database_cpu()
        # Backends that began in the meantime count whole.
        spent = sum(used - backends.get(pid, 0.0) for pid, used in after.items())
        return Sample(done["requests"], done["seconds"], cpu, spent, done["median"], done["p99"])
