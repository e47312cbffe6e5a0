"""Load at a steady rate, from one thread: what is asked at which moment does not depend on how fast it is answered."""

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

PATIENCE = 30.0
"""Seconds after which an answer is given up, and counted as cut off."""

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]

Answer = tuple[int, bytes, bool]
"""Status and body, and whether the connection is kept."""


@dataclass(frozen=True)
class Request:
    """One request as it is sent to a port, from an address, and the statuses that are right for it."""

    port: int
    head: bytes
    right: frozenset[int] = frozenset({200})
    source: str = "127.0.0.1"


@dataclass
class Minute:
    """What came back of what was asked in one minute. Latencies in seconds, from the moment a request was due."""

    latencies: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    outside: int = 0
    """Errors that were not told in the envelope: connections that were cut off, and bodies of another shape."""
    repeated: int = 0
    """Requests sent once more, because a connection that had been kept turned out to be closed."""

    @property
    def requests(self) -> int:
        return len(self.latencies)


class Load:
    """`rate` requests a second over at most `clients` connections at once, for `seconds`; found by minute."""

    def __init__(self, requests: Sequence[Request], *, rate: float, seconds: float, clients: int = 16) -> None:
        chance = random.Random(0)
        self._requests = requests
        self._order = itertools.chain.from_iterable(_shuffled(chance, len(requests)) for _ in itertools.count())
        self._rate, self._seconds, self._clients = rate, seconds, clients
        self._due = itertools.count()
        self.minutes: list[Minute] = [Minute() for _ in range(max(1, round(seconds / 60)))]
        self.began = time.monotonic()

    def run(self) -> None:
        """Send it all; returns when the last answer came or was given up."""
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
                async with asyncio.timeout(PATIENCE):
                    status, body = await self._ask(request, opened, minute)
            except (OSError, EOFError, TimeoutError) as error:
                opened.pop((request.port, request.source), None)
                minute.errors[type(error).__name__] += 1
                minute.outside += 1
            else:
                if status not in request.right:
                    minute.errors[str(status)] += 1
                    minute.outside += not _told(body)
            minute.latencies.append(time.monotonic() - due)
        for _, writer in opened.values():
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _ask(self, request: Request, opened: dict[tuple[int, str], Stream], minute: Minute) -> tuple[int, bytes]:
        where = (request.port, request.source)
        stream = opened.pop(where, None)
        answer = None
        if stream is not None:
            try:
                answer = await _exchange(stream, request.head)
            except (OSError, EOFError):
                # A client may ask again for what changes nothing (RFC 9110, 9.2.2), and clients do.
                minute.repeated += 1
        if stream is None or answer is None:
            stream = await asyncio.open_connection("127.0.0.1", request.port, local_addr=(request.source, 0))
            answer = await _exchange(stream, request.head)
        status, body, kept = answer
        if kept:
            opened[where] = stream
        else:
            stream[1].close()
        return status, body


async def _exchange(stream: Stream, head: bytes) -> Answer:
    reader, writer = stream
    writer.write(head)
    fields = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = fields.partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return int(fields[9:12]), await reader.readexactly(int(length)), b"connection: close" not in fields


def _told(body: bytes) -> bool:
    """Whether a body tells an error as the service tells them: REST has `error`, GraphQL `errors`."""
    try:
        answer: Any = json.loads(body)
    except ValueError:
        return False
    if not isinstance(answer, dict):
        return False
    return "errors" in answer or {"code", "message", "request_id"} <= set(answer.get("error", ()))


def _shuffled(chance: random.Random, count: int) -> Iterable[int]:
    return chance.sample(range(count), count)
