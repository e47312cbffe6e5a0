"""A TCP proxy on the loopback address that adds latency, limits bandwidth, and cuts or drops connections."""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Self

Target = tuple[str, int] | Path
"""A host and port, or a unix socket."""

CHUNK = 65536
MAX_QUEUED_CHUNKS = 64
"""Chunks that one direction of a connection queues before it stops reading."""

TIMEOUT = 10.0
SLICE_PAUSE = 0.0002


class Proxy:
    """A proxy from `port` to `target` with these faults, which tests may change at any time:

    latency    seconds by which data of the target is delayed: a round trip takes that much longer
    bandwidth  bytes per second in each direction, over all connections together
    slice      maximum number of bytes of the target that are forwarded at once
    limit      bytes that the target may still send, over all connections; then the connection is closed
    once       `limit` ends one connection only, and is None again
    abrupt     connections end with a reset instead of a close
    swallow    a black hole: connections are accepted, data is dropped for the rest of the connection
    refuse     new connections are reset as soon as they are accepted

    A new `target` is used by later connections. `round_trips` counts requests after a response of the target,
    `opened` counts connections.
    """

    def __init__(self, target: Target) -> None:
        self.port = 0
        self.latency = 0.0
        self.bandwidth: float | None = None
        self.slice: int | None = None
        self.limit: int | None = None
        self.once = self.abrupt = self.swallow = self.refuse = False
        self.round_trips = self.opened = 0
        self.target = target
        self._links: set[_Link] = set()
        # Until when each direction is busy with what was sent before.
        self.busy_until = [0.0, 0.0]
        self._started: Future[int] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = self._started.result(TIMEOUT)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(TIMEOUT)

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._links)

    def reset(self) -> int:
        """Reset (RST) the open connections; returns how many."""
        return self._each(_Link.reset)

    def silence(self) -> int:
        """Drop all data of the open connections from now on, as a firewall does that forgot them; returns how many."""
        return self._each(_Link.silence)

    def _each(self, what: Callable[["_Link"], object]) -> int:
        async def done() -> int:
            return len([what(link) for link in list(self._links)])

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result(TIMEOUT)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        listener = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1024)
        self._started.set_result(listener.sockets[0].getsockname()[1])
        await self._end.wait()
        # Accept nothing more, and let all tasks end before the listener closes. A connection whose task begins after
        # that, or is cancelled before it begins, would stay open (asyncio.Server of CPython 3.11).
        self._loop.remove_reader(listener.sockets[0].fileno())
        self.refuse = True
        with suppress(TimeoutError):
            async with asyncio.timeout(TIMEOUT / 2):
                while others := asyncio.all_tasks() - {asyncio.current_task()}:
                    for link in self._links:
                        link.reset()
                    await asyncio.wait(others, timeout=0.05)
        listener.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        there = None
        # Cancelled only when the proxy stops: the client is reset then, too.
        with suppress(asyncio.CancelledError):
            there = None if self.refuse else await self._dial()
        if there is None:
            _reset(writer)
            return
        link = _Link(self, (reader, writer), there)
        self._links.add(link)
        # Cancelled only when the proxy stops.
        with suppress(asyncio.CancelledError):
            await link.run()
        self._links.discard(link)

    async def _dial(self) -> "StreamPair | None":
        with suppress(OSError):
            if isinstance(self.target, Path):
                return await asyncio.open_unix_connection(self.target)
            return await asyncio.open_connection(*self.target)
        return None


StreamPair = tuple[asyncio.StreamReader, asyncio.StreamWriter]
ChunkQueue = asyncio.Queue[tuple[float, bytes]]


class _Link:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: StreamPair, target: StreamPair) -> None:
        self._proxy = proxy
        self._client, self._target = client, target
        self._lost = False
        self._answered = True

    def reset(self) -> None:
        for _, writer in (self._client, self._target):
            _reset(writer)

    def silence(self) -> None:
        self._lost = True

    async def run(self) -> None:
        """Forward in both directions until both sides have ended, or one failed."""
        sides = (self._client, self._target), (self._target, self._client)
        try:
            async with asyncio.TaskGroup() as group:
                for back, ((reader, _), (_, writer)) in enumerate(sides):
                    queue: ChunkQueue = asyncio.Queue(MAX_QUEUED_CHUNKS)
                    group.create_task(self._read(reader, queue, back))
                    group.create_task(self._write(queue, writer, back))
        except* OSError:
            pass
        finally:
            if self._proxy.abrupt:
                self.reset()
            for _, writer in (self._client, self._target):
                writer.close()

    async def _read(self, reader: asyncio.StreamReader, queue: ChunkQueue, back: int) -> None:
        """Queue each chunk with the time at which it is due; b"" marks the end of a side."""
        loop = asyncio.get_running_loop()
        chunk = b"any"
        while chunk:
            chunk = await reader.read(CHUNK)
            if chunk:
                self._count(back)
            if self._loses():
                # A black hole would not forward the end; the test needs its connections closed.
                if not chunk:
                    raise ConnectionAbortedError
            else:
                await queue.put((loop.time() + self._proxy.latency * back, chunk))

    def _loses(self) -> bool:
        """Whether the chunk just read is dropped. Once one is, all later ones are."""
        self._lost = self._lost or self._proxy.swallow
        return self._lost

    def _count(self, back: int) -> None:
        if not back and self._answered:
            self._proxy.round_trips += 1
        self._answered = bool(back)

    async def _write(self, queue: ChunkQueue, writer: asyncio.StreamWriter, back: int) -> None:
        proxy, loop = self._proxy, asyncio.get_running_loop()
        while True:
            due, chunk = await queue.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not chunk:
                return writer.write_eof()
            at = 0
            while at < len(chunk):
                part = chunk[at : at + self._most(back)]
                at += len(part)
                if self._loses():
                    break
                is_last = False
                if back and proxy.limit is not None:
                    part = part[: proxy.limit]
                    proxy.limit -= len(part)
                    is_last = proxy.limit == 0
                    if is_last and proxy.once:
                        proxy.limit = None
                if proxy.bandwidth is not None:
                    proxy.busy_until[back] = max(proxy.busy_until[back], loop.time()) + len(part) / proxy.bandwidth
                    await asyncio.sleep(proxy.busy_until[back] - loop.time())
                writer.write(part)
                await writer.drain()
                if is_last:
                    raise ConnectionAbortedError
                if back and proxy.slice is not None:
                    # The receiver sees the first slice alone. On a busy machine, a pause takes tens of milliseconds.
                    await asyncio.sleep(SLICE_PAUSE if at == len(part) else 0)

    def _most(self, back: int) -> int:
        """Maximum bytes to forward at once: with limited bandwidth, those of a hundredth of a second."""
        proxy = self._proxy
        most = CHUNK if proxy.bandwidth is None else max(1, int(proxy.bandwidth / 100))
        return min(most, proxy.slice) if back and proxy.slice is not None else most


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset, so that the next read or write of the peer fails (RFC 9293, 3.10.5)."""
    found = writer.get_extra_info("socket")
    if found is not None and found.fileno() >= 0 and found.family != socket.AF_UNIX:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
