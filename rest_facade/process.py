"""One process, two listeners: opens what they need, serves until it is told to stop, closes in order."""

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import uvicorn
import uvloop
from starlette.types import ASGIApp

from rest_facade.protocol import Protocol

if TYPE_CHECKING:
    # Loaded by whoever builds one. A command that only needs an address does not.
    from rest_facade.build import Service

COLLECTED_AFTER = (20_000, 50, 100)
"""When garbage is looked for. A page makes some thousand objects that are gone with it, without anybody looking."""


class StartError(Exception):
    """The process can't start; the text is a sentence for the operator."""


class Listener(uvicorn.Server):
    """A uvicorn server that leaves signals to the process, since there are two of them in it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, before anything else is started. Raises StartError where the port can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise StartError(f"Can't listen on {host} port {port}: {reason}. Choose another port.") from error
    listener.setblocking(False)
    return listener


def address(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    service: "Service",
    public: socket.socket,
    internal: socket.socket,
    *,
    grace: int,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT or SIGTERM; what is in flight then has `grace` seconds. Calls `started` once it serves."""
    # What was declared stays for good: no collection of garbage needs to go through it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(service, public, internal, grace, started))


async def _serve(
    service: "Service",
    public: socket.socket,
    internal: socket.socket,
    grace: int,
    started: Callable[[], None],
) -> None:
    await service.open()
    # uvicorn's stock protocol serves the internal listener: nothing there is promised to be JSON.
    outer = _listener(service.public, grace, Protocol)
    inner = _listener(service.internal, max(1, grace // 4), "httptools")

    def stop() -> None:
        service.readiness.stopping = True
        # A second signal does not wait for what is in flight.
        outer.force_exit = inner.force_exit = outer.should_exit
        outer.should_exit = True

    async def serve_clients() -> None:
        await outer.serve(sockets=[public])
        # Only now: until here operators can see that the service is about to end, and read what it counted.
        inner.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        async with asyncio.TaskGroup() as group:
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
