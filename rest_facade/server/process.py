"""One serving process: opens the service, runs the public and the internal listener, shuts down gracefully."""

import asyncio
import ctypes
import gc
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import uvicorn
import uvloop
from starlette.types import ASGIApp

from rest_facade.internal.readiness import Readiness
from rest_facade.server.http_protocol import LimitedProtocol
from rest_facade.server.listener_protocols import InternalProtocol, PublicMcpProtocol, PublicProtocol
from rest_facade.server.sockets import drop_new_connections
from rest_facade.server.uvicorn_internals import UvicornServer
from rest_facade.server.workers import SHUTDOWN_SIGNALS

if TYPE_CHECKING:
    # Only for the annotation: callers import the composition when they build a service.
    from rest_facade.composition import Service

GC_THRESHOLDS = (10_000, 3, 60)
"""Arguments of `gc.set_threshold`. A page makes some thousand objects, which reference counting frees. While several
large pages are made, most collections go through 40,000 objects: the event loop stands still meanwhile."""

SWITCH_INTERVAL = 0.001
"""Seconds after which a thread hands the interpreter over. Threads prepare GraphQL documents; meanwhile, the event loop
must not wait for Python's default of 5 ms each time that it wakes up."""

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of `mallopt`, as glibc's malloc.h numbers them."""

MALLOC_BYTES = {M_TRIM_THRESHOLD: 16_000_000, M_MMAP_THRESHOLD: 4_000_000}
"""What malloc keeps at the end of the heap when it is freed, and the smallest block that it maps apart from the heap. A
report has 1.6 MB, several times: to fault that in anew for each request took 28 to 42 % of the service's CPU."""

ACCEPT_SECONDS = 0.2
"""Seconds after the drain in which connections that are in the accept queue are still accepted."""


@dataclass(frozen=True)
class ShutdownPolicy:
    """How a process shuts down. One of SHUTDOWN_SIGNALS starts the shutdown; a second signal ends it at once.

    For `drain` seconds the process is unready and accepts requests; SIGINT, from a terminal, skips that. Then requests
    in flight of both listeners have `grace` seconds to finish. `lifeline` is the read end of a pipe: its end of file
    starts the shutdown, too, because the parent process has died or closed it.
    """

    grace: int
    drain: float = 0.0
    lifeline: int | None = None


@dataclass(eq=False)
class GracefulShutdown:
    """The shutdown sequence: unready, drain, stop accepting, finish requests in flight."""

    readiness: Readiness
    public_socket: socket.socket
    public_server: UvicornServer
    internal_server: UvicornServer
    drain: float
    requested: asyncio.Event = field(default_factory=asyncio.Event)
    signals: int = 0
    stopped_at: float = 0.0
    """When the public server was told to stop, by the clock of the event loop."""

    def on_signal(self, number: signal.Signals) -> None:
        """Start the shutdown; on a second signal, stop without waiting for requests in flight."""
        self.signals += 1
        if self.signals > 1:
            self.public_server.force_exit = self.internal_server.force_exit = True
            self.public_server.should_exit = True
        if number is signal.SIGINT:
            self.drain = 0.0
        self.requested.set()

    def on_lifeline_closed(self, lifeline: int) -> None:
        """Start the shutdown: the parent closed its end of the lifeline pipe, or died."""
        asyncio.get_running_loop().remove_reader(lifeline)
        self.requested.set()

    async def run(self) -> None:
        """Wait for the shutdown to be requested, drain, and stop the public server."""
        await self.requested.wait()
        self.readiness.stopping = True
        if self.drain:
            self.public_server.disable_keep_alive()
            await asyncio.sleep(self.drain)
            drop_new_connections(self.public_socket)
            await asyncio.sleep(ACCEPT_SECONDS)
        self.stopped_at = asyncio.get_running_loop().time()
        self.public_server.should_exit = True


def prepare_interpreter() -> None:
    """Collect no garbage during the imports, of which it would take a quarter of the time; let threads take turns."""
    gc.disable()
    sys.setswitchinterval(SWITCH_INTERVAL)


def freeze_objects() -> None:
    """Freeze start-up objects (`gc.freeze`), so that collections skip them, and collect from now on, less often."""
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()


def keep_freed_memory() -> None:
    """Let glibc's malloc keep what large responses free. Other libraries have no `mallopt`, and stay as they are."""
    with suppress(AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for parameter, size in MALLOC_BYTES.items():
            mallopt(parameter, size)


def run_server(
    service: "Service",
    public: socket.socket,
    internal: socket.socket,
    policy: ShutdownPolicy,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until a signal or the lifeline starts the shutdown. Calls `started` once both servers accept."""
    freeze_objects()
    keep_freed_memory()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(service, public, internal, policy, started))


async def _serve(
    service: "Service",
    public: socket.socket,
    internal: socket.socket,
    policy: ShutdownPolicy,
    started: Callable[[], None],
) -> None:
    LimitedProtocol.per_address = service.public.settings.connections_per_address
    LimitedProtocol.trusted_proxies = service.public.settings.trusted_proxies
    public_protocol = PublicMcpProtocol if service.public.settings.public_mcp else PublicProtocol
    keep_alive = service.public.settings.keep_alive
    public_server = uvicorn_server(service.public, policy.grace, public_protocol, keep_alive)
    internal_server = uvicorn_server(service.internal, policy.grace, InternalProtocol, keep_alive)
    shutdown = GracefulShutdown(service.readiness, public, public_server, internal_server, policy.drain)

    async def serve_public() -> None:
        await public_server.serve(sockets=[public])
        shutdown_task.cancel()
        waiting_task.cancel()
        # The internal server stops last: until then operators read that the service is stopping, and its metrics.
        used = int(asyncio.get_running_loop().time() - shutdown.stopped_at)
        internal_server.config.timeout_graceful_shutdown = max(1, policy.grace - used)
        internal_server.should_exit = True

    # Entered here and not by uvicorn: it is the lifespan of both listeners.
    async with service.public.router.lifespan_context(service.public):
        loop = asyncio.get_running_loop()
        for number in SHUTDOWN_SIGNALS:
            loop.add_signal_handler(number, shutdown.on_signal, number)
        if policy.lifeline is not None:
            loop.add_reader(policy.lifeline, shutdown.on_lifeline_closed, policy.lifeline)
        async with asyncio.TaskGroup() as group:
            # In the group, so that its failure ends the servers: without it no signal could stop them.
            shutdown_task = group.create_task(shutdown.run())
            # The log says what is missing at the start; requests fail until it is there.
            waiting_task = group.create_task(service.readiness.wait())
            group.create_task(serve_public())
            group.create_task(internal_server.serve(sockets=[internal]))
            while not (public_server.started and internal_server.started):  # noqa: ASYNC110 - uvicorn has a flag only
                await asyncio.sleep(0.01)
            started()


def uvicorn_server(app: ASGIApp, grace: int, http: type[asyncio.Protocol], keep_alive: int = 5) -> UvicornServer:
    return UvicornServer(
        uvicorn.Config(
            app,
            http=http,
            ws="none",
            lifespan="off",
            # The throttle reads X-Forwarded-For by its own rules; uvicorn would trust every local peer.
            proxy_headers=False,
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_keep_alive=keep_alive,
            timeout_graceful_shutdown=grace,
        )
    )
