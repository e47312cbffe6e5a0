"""A public listener in a thread, for tests over a real socket."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from time import sleep

import httpx2 as httpx
import uvloop

from rest_facade.composition import Service
from rest_facade.server import process, sockets
from rest_facade.server.listener_protocols import PublicProtocol
from tests.rest_facade.raw_client import TIMEOUT, Connection

BASE_URL = "https://api.example.com"
DAY = 86_400
"""Seconds of a window, so that none ends during a test."""

UNKNOWN_ID = "11111111-1111-1111-1111-111111111111"
VARY = "Accept-Encoding, Origin"


@dataclass(frozen=True)
class Listener:
    """A public listener that is serving."""

    service: Service
    address: tuple[str, int]

    def connect(self) -> Connection:
        return Connection(self.address)

    def send(self, data: bytes, method: str = "GET") -> httpx.Response:
        """The response to one request on a new connection."""
        with self.connect() as connection:
            connection.send(data)
            return connection.read(method)


@contextmanager
def listening(service: Service) -> Iterator[Listener]:
    """Serve as `orgdata serve` does, in a thread with its own event loop."""
    with sockets.bind_socket("127.0.0.1", 0) as public:
        server = process.uvicorn_server(service.public, 1, PublicProtocol)

        async def serve() -> None:
            async with service.running():
                await server.serve(sockets=[public])

        def run() -> None:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(serve())

        thread = Thread(target=run, daemon=True)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                sleep(0.001)
            yield Listener(service, public.getsockname())
        finally:
            server.should_exit = True
            thread.join(TIMEOUT)
        assert not thread.is_alive()
