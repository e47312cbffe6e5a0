"""Load at a steady rate (open loop), from one thread: send times do not depend on response times."""

import asyncio
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

TIMEOUT_SECONDS = 30.0
"""Seconds after which a request is aborted and counted as a closed connection."""

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]

PAGE_SOURCE = "127.0.0.2"
"""The source address of requests for a next page: its connections are others, and often of another instance."""


@dataclass(frozen=True)
class SoakResponse:
    """A response, whether its connection stays open, and how many seconds old its data are."""

    status: int
    body: bytes
    keep_alive: bool
    age: float


@dataclass(frozen=True)
class Request:
    """One request: its bytes, port and source address, and the statuses that are expected."""

    port: int
    head: bytes
    expected: frozenset[int] = frozenset({200})
    source: str = "127.0.0.1"
    follow: bool = False
    """Whether the client asks for the next page, too, with the token or cursor of the response."""


@dataclass
class MinuteResult:
    """The results of the requests of one minute. Latencies in seconds, from the time at which a request was due."""

    latencies: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    age: float = 0.0
    """The age of the oldest data of a response, in seconds: its end less `X-Data-As-Of`."""
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
        self.failures: list[tuple[float, str]] = []
        """What failed: seconds from the start to the response, and the status or the exception."""
        self.began = time.monotonic()

    def rotate_key(self, old: str, new: str) -> None:
        """Send every second request that has the old key with the new one."""
        one, other = old.encode(), new.encode()
        self._requests = [
            replace(request, head=request.head.replace(one, other)) if number % 2 else request
            for number, request in enumerate(self._requests)
        ]

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
        following: Request | None = None
        while (after := next(self._due) / self._rate) < self._seconds:
            request, following = following or self._requests[next(self._order)], None
            due = self.began + after
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            minute = self.minutes[min(int(after / 60), len(self.minutes) - 1)]
            failure = ""
            try:
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    response = await self._ask(request, opened, minute)
            except (OSError, EOFError, TimeoutError) as error:
                opened.pop((request.port, request.source), None)
                failure = type(error).__name__
            else:
                minute.age = max(minute.age, response.age)
                if request.head.startswith(b"POST") and response.status == 200 and b'"errors"' in response.body:
                    failure = "200 with errors"
                elif response.status not in request.expected:
                    envelope = "" if _is_error_envelope(response.body) else " without an envelope"
                    failure = f"{response.status}{envelope}"
                elif request.follow:
                    following = _next_page(request, response.body)
            if failure:
                minute.errors[failure] += 1
                self.failures.append((time.monotonic() - self.began, failure))
                print(f"{self.failures[-1]}: {request.head.split(b' HTTP')[0].decode()}", flush=True)
            minute.latencies.append(time.monotonic() - due)
        for _, writer in opened.values():
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _ask(self, request: Request, opened: dict[tuple[int, str], Stream], minute: MinuteResult) -> SoakResponse:
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
        if answer.keep_alive:
            opened[endpoint] = stream
        else:
            stream[1].close()
        return answer


async def _exchange(stream: Stream, head: bytes) -> SoakResponse:
    reader, writer = stream
    writer.write(head)
    fields = (await reader.readuntil(b"\r\n\r\n")).lower()
    body = await reader.readexactly(int(_field(fields, b"content-length")))
    as_of = _field(fields, b"x-data-as-of").decode()
    age = (datetime.now(UTC) - datetime.fromisoformat(as_of.upper())).total_seconds() if as_of else 0.0
    return SoakResponse(int(fields[9:12]), body, b"connection: close" not in fields, age)


def _field(fields: bytes, name: bytes) -> bytes:
    return fields.partition(b"\r\n" + name + b": ")[2].partition(b"\r\n")[0]


def _next_page(request: Request, body: bytes) -> Request | None:
    """The request for the next page; None after the last one."""
    answer = json.loads(body)
    if not isinstance(answer, dict):
        return None
    target = request.head.split(b" ", 2)[1]
    if link := answer.get("next"):
        following = urlsplit(link)._replace(scheme="", netloc="").geturl().encode()
    elif cursor := answer.get("pagination", {}).get("next_cursor"):
        following = target + b"&" + urlencode({"cursor": cursor}).encode()
    else:
        return None
    return replace(request, head=request.head.replace(target, following, 1), source=PAGE_SOURCE, follow=False)


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
