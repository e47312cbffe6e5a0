"""One process, two listeners: opens what they need, serves until it is told to stop, closes in order."""

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import uvicorn
import uvloop
from starlette.types import ASGIApp

from rest_facade.internal.readiness import Readiness
from rest_facade.server.http_protocol import Protocol
from rest_facade.server.sockets import refuse_new

if TYPE_CHECKING:
    # Loaded by whoever builds one. A command that only needs an address does not.
    from rest_facade.composition import Service

COLLECTED_AFTER = (20_000, 50, 100)
"""When garbage is looked for. A page makes some thousand objects that are gone with it, without anybody looking."""

LAST_LOOK = 0.2
"""Seconds in which connections that had begun before the door was shut are still accepted."""


@dataclass(frozen=True)
class Ending:
    """How a process stops. Requests in flight have `grace` seconds; for `drain` seconds before, it takes new ones.

    SIGTERM tells it to stop, or SIGINT, which comes from somebody at a terminal: no drain. A second one does not wait.
    At the end of `lifeline`, a file descriptor, whoever started the process is gone or wants it to stop.
    """

    grace: int
    drain: float = 0.0
    lifeline: int | None = None


class Listener(uvicorn.Server):
    """A uvicorn server that leaves signals to the process, since there are two of them in it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    def end_connections(self) -> None:
        """Say in every answer from now on that it is the last of its connection (RFC 9112, 9.6)."""
        last = (b"connection", b"close")
        self.config.encoded_headers.append(last)  # what uvicorn makes the headers from, every second
        self.server_state.default_headers = [*self.server_state.default_headers, last]


class Leaving:
    """The end of a process: operators see it coming, then clients go elsewhere, then it stops."""

    def __init__(
        self, readiness: Readiness, public: socket.socket, outer: Listener, inner: Listener, ending: Ending
    ) -> None:
        self._readiness = readiness
        self._public = public
        self._outer = outer
        self._inner = inner
        self._drain = ending.drain
        self._told = asyncio.Event()
        self._signals = 0

    def signalled(self, number: signal.Signals) -> None:
        """A second signal does not wait for what is in flight."""
        self._signals += 1
        if self._signals > 1:
            self._outer.force_exit = self._inner.force_exit = self._outer.should_exit = True
        if number is signal.SIGINT:
            self._drain = 0.0
        self._told.set()

    def released(self, lifeline: int) -> None:
        """Whoever started this process let go of it."""
        asyncio.get_running_loop().remove_reader(lifeline)
        self._told.set()

    async def leave(self) -> None:
        """Wait to be told to stop, then stop."""
        await self._told.wait()
        self._readiness.stopping = True
        if self._drain:
            self._outer.end_connections()
            await asyncio.sleep(self._drain)
            refuse_new(self._public)
            await asyncio.sleep(LAST_LOOK)
        self._outer.should_exit = True


def settle() -> None:
    """Take what was declared for granted: no collection of garbage needs to go through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


def run(
    service: "Service",
    public: socket.socket,
    internal: socket.socket,
    ending: Ending,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until told to stop. Calls `started` once it serves."""
    settle()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(service, public, internal, ending, started))


async def _serve(
    service: "Service",
    public: socket.socket,
    internal: socket.socket,
    ending: Ending,
    started: Callable[[], None],
) -> None:
    await service.open()
    # uvicorn's stock protocol serves the internal listener: nothing there is promised to be JSON.
    outer = _listener(service.public, ending.grace, Protocol)
    inner = _listener(service.internal, max(1, ending.grace // 4), "httptools")
    leaving = Leaving(service.readiness, public, outer, inner, ending)

    async def serve_clients() -> None:
        await outer.serve(sockets=[public])
        task.cancel()
        # Only now: until here operators can see that the service is about to end, and read what it counted.
        inner.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, leaving.signalled, number)
    if ending.lifeline is not None:
        loop.add_reader(ending.lifeline, leaving.released, ending.lifeline)
    try:
        async with asyncio.TaskGroup() as group:
            # One of the group: if it failed, nothing could stop the service any more.
            task = group.create_task(leaving.leave())
            group.create_task(serve_clients())
            group.create_task(inner.serve(sockets=[internal]))
            while not (outer.started and inner.started):  # noqa: ASYNC110 - uvicorn has a flag only
                await asyncio.sleep(0.01)
            started()
    finally:
        await service.close()


def _listener(app: ASGIApp, grace: int, http: type[asyncio.Protocol] | str) -> Listener:
    return Listener(
        uvicorn.Config(
            app,
            http=http,
            ws="none",
            lifespan="off",
            # Who is asking is decided by the throttle's rules, not by whoever connects from this machine.
            proxy_headers=False,
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=grace,
        )
    )
