"""One process, two listeners: opens what they need, serves until it is told to stop, closes in order."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Generator

import uvicorn
import uvloop
from starlette.types import ASGIApp

from rest_facade.build import Service
from rest_facade.protocol import Protocol


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
    service: Service,
    public: socket.socket,
    internal: socket.socket,
    *,
    grace: int,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT or SIGTERM; what is in flight then has `grace` seconds. Calls `started` once it serves."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(service, public, internal, grace, started))


async def _serve(
    service: Service,
    public: socket.socket,
    internal: socket.socket,
    grace: int,
    started: Callable[[], None],
) -> None:
    await service.database.open()
    # uvicorn's stock protocol serves the internal listener: nothing there is promised to be JSON.
    listeners = [_listener(service.public, grace, Protocol), _listener(service.internal, grace, "httptools")]

    def stop() -> None:
        for listener in listeners:
            # A second signal does not wait for what is in flight.
            listener.force_exit = listener.should_exit
            listener.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        sockets = (public, internal)
        async with asyncio.TaskGroup() as group:
            for listener, own in zip(listeners, sockets, strict=True):
                group.create_task(listener.serve(sockets=[own]))
            while not all(listener.started for listener in listeners):  # noqa: ASYNC110 - uvicorn has a flag only
                await asyncio.sleep(0.01)
            started()
    finally:
        await service.database.close()


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
