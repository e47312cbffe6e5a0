"""Load at a steady rate (open loop), from one thread: send times do not depend on response times."""

import asyncio
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

TIMEOUT_SECONDS = 30.0
"""Seconds after which a request is aborted and counted as a closed connection."""

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]

SoakResponse = tuple[int, bytes, bool]
"""Status, body, and whether the connection stays open."""


@dataclass(frozen=True)
class Request:
    """One request: its bytes, port and source address, and the statuses that are expected."""

    port: int
    head: bytes
    expected: frozenset[int] = frozenset({200})
    source: str = "127.0.0.1"


@dataclass
class MinuteResult:
    """The results of the requests of one minute. Latencies in seconds, from the time at which a request was due."""

    latencies: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    outside: int = 0
    """Errors without the error envelope: closed connections, and bodies of another shape."""
    repeated: int = 0
    """Requests sent again because a kept-alive connection was closed."""

    @property
    def requests(self) -> int:
        return len(self.latencies)


class SteadyLoad:
    """`rate` requests a second over at most `clients` connections at once, for `seconds`. Results are by minute."""

    def __init__(self, requests: Sequence[Request], *, rate: float, seconds: float, clients: int = 16) -> None:
        random_source = random.Random(0)
        self._requests = requests
        self._order = itertools.chain.from_iterable(_shuffled(random_source, len(requests)) for _ in itertools.count())
        self._rate, self._seconds, self._clients = rate, seconds, clients
        self._due = itertools.count()
        self.minutes: list[MinuteResult] = [MinuteResult() for _ in range(max(1, round(seconds / 60)))]
        self.began = time.monotonic()

    def run(self) -> None:
        """Send all requests; returns after the last response or timeout."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        self.began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for _ in range(self._clients):
                group.create_task(self._client())

    async def _client(self) -> None:
        opened: dict[tuple[int, str], Stream] = {}
        while (after := next(self._due) / self._rate) < self._seconds:
            request = self._requests[next(self._order)]
            due = self.began + after
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            minute = self.minutes[min(int(after / 60), len(self.minutes) - 1)]
            try:
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    status, body = await self._ask(request, opened, minute)
            except (OSError, EOFError, TimeoutError) as error:
                opened.pop((request.port, request.source), None)
                minute.errors[type(error).__name__] += 1
                minute.outside += 1
            else:
                if status not in request.expected:
                    minute.errors[str(status)] += 1
                    minute.outside += not _is_error_envelope(body)
            minute.latencies.append(time.monotonic() - due)
        for _, writer in opened.values():
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _ask(
        self, request: Request, opened: dict[tuple[int, str], Stream], minute: MinuteResult
    ) -> tuple[int, bytes]:
        endpoint = (request.port, request.source)
        stream = opened.pop(endpoint, None)
        answer = None
        if stream is not None:
            try:
                answer = await _exchange(stream, request.head)
            except (OSError, EOFError):
                # A client may repeat an idempotent request (RFC 9110, 9.2.2), and clients do.
                minute.repeated += 1
        if stream is None or answer is None:
            stream = await asyncio.open_connection("127.0.0.1", request.port, local_addr=(request.source, 0))
            answer = await _exchange(stream, request.head)
        status, body, keep_alive = answer
        if keep_alive:
            opened[endpoint] = stream
        else:
            stream[1].close()
        return status, body


async def _exchange(stream: Stream, head: bytes) -> SoakResponse:
    reader, writer = stream
    writer.write(head)
    fields = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = fields.partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return int(fields[9:12]), await reader.readexactly(int(length)), b"connection: close" not in fields


def _is_error_envelope(body: bytes) -> bool:
    """Whether a body is an error of the service: REST has `error`, GraphQL `errors`."""
    try:
        answer: Any = json.loads(body)
    except ValueError:
        return False
    if not isinstance(answer, dict):
        return False
    return "errors" in answer or {"code", "message", "request_id"} <= set(answer.get("error", ()))


def _shuffled(random_source: random.Random, count: int) -> Iterable[int]:
    return random_source.sample(range(count), count)
