"""A TCP proxy on the loopback address that adds latency, limits bandwidth, and cuts or drops connections."""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

Target = tuple[str, int] | Path
"""A host and port, or a unix socket."""

CHUNK = 65536
MOST_ON_THE_WAY = 64
"""Chunks that one direction of a connection keeps before it stops reading."""

PATIENCE = 10.0
BETWEEN_SLICES = 0.0002


class Proxy:
    """Listens on `port`, carries everything to `target` and back; what it does wrong can be changed at any moment,
    and so can `target`, for connections to come.

    latency    seconds by which each thing that the target says comes late: a round trip takes that much longer
    bandwidth  bytes a second in each direction, over all connections together
    slice      bytes that are passed on at a time at most
    limit      bytes that the target may still say, over all connections; behind the last one its connection is closed
    abrupt     what ends is reset instead of closed
    swallow    a black hole: connections are accepted, and nothing comes through, then or ever after
    refuse     new connections are reset as soon as they are accepted

    `round_trips` counts how often the target was asked something after it had answered, `opened` the connections.
    """

    def __init__(self, target: Target) -> None:
        self.port = 0
        self.latency = 0.0
        self.bandwidth: float | None = None
        self.slice: int | None = None
        self.limit: int | None = None
        self.abrupt = self.swallow = self.refuse = False
        self.round_trips = self.opened = 0
        self.target = target
        self._links: set[_Link] = set()
        # Until when each direction is busy with what was sent before.
        self.busy_until = [0.0, 0.0]
        self._started: Future[int] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = self._started.result(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(PATIENCE)

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._links)

    def reset(self) -> int:
        """Reset (RST) all connections of this moment; returns how many."""
        return self._each(_Link.reset)

    def lose(self) -> int:
        """Let all connections of this moment be silent for good, as if a firewall forgot them; returns how many."""
        return self._each(_Link.lose)

    def _each(self, what: Callable[["_Link"], object]) -> int:
        async def done() -> int:
            return len([what(link) for link in list(self._links)])

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result(PATIENCE)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        listener = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1024)
        self._started.set_result(listener.sockets[0].getsockname()[1])
        await self._end.wait()
        listener.close()
        for link in self._links:
            link.reset()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        there = None if self.refuse else await self._dial()
        if there is None:
            _reset(writer)
            return
        link = _Link(self, (reader, writer), there)
        self._links.add(link)
        # What is cancelled is cancelled because the proxy ends.
        with suppress(asyncio.CancelledError):
            await link.run()
        self._links.discard(link)

    async def _dial(self) -> "Side | None":
        with suppress(OSError):
            if isinstance(self.target, Path):
                return await asyncio.open_unix_connection(self.target)
            return await asyncio.open_connection(*self.target)
        return None


Side = tuple[asyncio.StreamReader, asyncio.StreamWriter]
OnTheWay = asyncio.Queue[tuple[float, bytes]]


class _Link:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: Side, target: Side) -> None:
        self._proxy = proxy
        self._client, self._target = client, target
        self._lost = False
        self._answered = True

    def reset(self) -> None:
        for _, writer in (self._client, self._target):
            _reset(writer)

    def lose(self) -> None:
        self._lost = True

    async def run(self) -> None:
        """Carry until both sides have ended, or one broke."""
        sides = (self._client, self._target), (self._target, self._client)
        try:
            async with asyncio.TaskGroup() as group:
                for back, ((reader, _), (_, writer)) in enumerate(sides):
                    on_the_way: OnTheWay = asyncio.Queue(MOST_ON_THE_WAY)
                    group.create_task(self._read(reader, on_the_way, back))
                    group.create_task(self._write(on_the_way, writer, back))
        except* OSError:
            pass
        finally:
            if self._proxy.abrupt:
                self.reset()
            for _, writer in (self._client, self._target):
                writer.close()

    async def _read(self, reader: asyncio.StreamReader, on_the_way: OnTheWay, back: int) -> None:
        """Note of each thing when it is due on the other side; the end of a side is b""."""
        loop = asyncio.get_running_loop()
        chunk = b"any"
        while chunk:
            chunk = await reader.read(CHUNK)
            if chunk:
                self._count(back)
            if self._loses():
                # The other side of a hole would never hear of the end; but nothing shall be left of a test.
                if not chunk:
                    raise ConnectionAbortedError
            else:
                await on_the_way.put((loop.time() + self._proxy.latency * back, chunk))

    def _loses(self) -> bool:
        """Whether what was just read is lost. What follows it would make no sense without it."""
        self._lost = self._lost or self._proxy.swallow
        return self._lost

    def _count(self, back: int) -> None:
        if not back and self._answered:
            self._proxy.round_trips += 1
        self._answered = bool(back)

    async def _write(self, on_the_way: OnTheWay, writer: asyncio.StreamWriter, back: int) -> None:
        proxy, loop = self._proxy, asyncio.get_running_loop()
        while True:
            due, chunk = await on_the_way.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not chunk:
                return writer.write_eof()
            at = 0
            while at < len(chunk):
                part = chunk[at : at + self._most(back)]
                at += len(part)
                if self._loses():
                    break
                if back and proxy.limit is not None:
                    part = part[: proxy.limit]
                    proxy.limit -= len(part)
                if proxy.bandwidth is not None:
                    proxy.busy_until[back] = max(proxy.busy_until[back], loop.time()) + len(part) / proxy.bandwidth
                    await asyncio.sleep(proxy.busy_until[back] - loop.time())
                writer.write(part)
                await writer.drain()
                if back and proxy.limit == 0:
                    raise ConnectionAbortedError
                if proxy.slice is not None:
                    await asyncio.sleep(BETWEEN_SLICES)

    def _most(self, back: int) -> int:
        """Bytes to pass on at once: with little bandwidth, what it carries in a hundredth of a second."""
        proxy = self._proxy
        most = CHUNK if proxy.bandwidth is None else max(1, int(proxy.bandwidth / 100))
        return most if proxy.slice is None else min(most, proxy.slice)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close at once, and let the peer's next read or write fail (RFC 9293, 3.10.5)."""
    found = writer.get_extra_info("socket")
    if found is not None and found.fileno() >= 0 and found.family != socket.AF_UNIX:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
