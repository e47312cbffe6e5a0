"""The load client, a process of its own that sends prepared requests over keep-alive connections.

It reads jobs from standard input, one line of JSON each, and writes one line of JSON for each. The first line has the
requests: lists of them, of which a job names one by its number. To be cheap itself, it parses of a response only the
status and where the body ends.
"""

import asyncio
import base64
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import uvloop

HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"
LAST_CHUNK = b"0\r\n\r\n"


@dataclass
class LoadRun:
    """One run of load, limited in time and number, and its results."""

    requests: Iterator[bytes]
    ends_at: float
    remaining: int
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    received: int = 0

    def next(self) -> bytes | None:
        """The next request; None when the time or the number of requests is used up."""
        if self.remaining <= 0 or time.perf_counter() >= self.ends_at:
            return None
        self.remaining -= 1
        return next(self.requests)


class LoadConnection(asyncio.Protocol):
    """A connection that sends one request after the other; `done` is set at the end of the run."""

    transport: asyncio.Transport

    def __init__(self, run: LoadRun, done: "asyncio.Future[None]") -> None:
        self.run = run
        self.done = done
        self.head = b""
        self.remaining = -1  # bytes of the body; -1 while reading the head, -2 in a chunked body
        self.tail = b""
        self.sent_at = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport

    def send(self) -> None:
        request = self.run.next()
        if request is None:
            self.transport.close()
            if not self.done.done():
                self.done.set_result(None)
            return
        self.sent_at = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.run.received += len(data)
        if self.remaining == -1:
            self.head += data
            end = self.head.find(HEAD_END)
            if end < 0:
                return
            data = self.head[end + 4 :]
            head, self.head = self.head[:end].lower(), b""
            self.run.statuses[head[9:12].decode()] += 1
            at = head.find(LENGTH)
            if at >= 0:
                self.remaining = int(head[at + len(LENGTH) :].split(b"\r", 1)[0])
            else:
                self.remaining, self.tail = -2, b""
        if self.remaining == -2:
            self.tail = (self.tail + data)[-len(LAST_CHUNK) :]
            over = self.tail == LAST_CHUNK
        else:
            self.remaining -= len(data)
            over = self.remaining == 0
        if over:
            self.remaining = -1
            self.run.latencies.append(time.perf_counter() - self.sent_at)
            self.send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError("The server closed a connection during the load."))


async def run_job(job: dict[str, Any], requests: Iterator[bytes]) -> dict[str, Any]:
    """Run one job: `connections` to `port`, for `seconds` or `most` requests, whichever ends first."""
    loop = asyncio.get_running_loop()
    run = LoadRun(requests, 0.0, job["most"])
    opened: list[LoadConnection] = []
    for _ in range(job["connections"]):
        done = loop.create_future()
        _, connection = await loop.create_connection(partial(LoadConnection, run, done), "127.0.0.1", job["port"])
        opened.append(connection)
    began = time.perf_counter()
    run.ends_at = began + job["seconds"]
    for connection in opened:
        connection.send()
    await asyncio.gather(*(connection.done for connection in opened))
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "latencies": run.latencies, "statuses": run.statuses, "received": run.received}


def main() -> None:
    """Read the requests from the first line, and run a job for each line after it."""
    requests = [itertools.cycle(map(base64.b64decode, each)) for each in json.loads(sys.stdin.readline())]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for line in sys.stdin:
            job = json.loads(line)
            result = runner.run(run_job(job, requests[job["requests"]]))
            latencies = sorted(result.pop("latencies"))
            count = len(latencies)
            result |= {
                "requests": count,
                "median": latencies[count // 2] if count else 0.0,
                "p99": latencies[min(count - 1, count * 99 // 100)] if count else 0.0,
                "longest": latencies[-1] if count else 0.0,
            }
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
