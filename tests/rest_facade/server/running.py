"""A uvicorn server of the protocol in a thread, an application that echoes requests, and a strict response reader."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import anyio.to_thread
import uvicorn
from starlette.types import Receive, Scope, Send

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.errors.envelope import Error
from rest_facade.server.listener_protocols import InternalProtocol, PublicProtocol

TIMEOUT = 10.0  # seconds after which a test fails that waits for something
MIB = 1024 * 1024
LARGE = 2 * MIB  # bytes of an answer that no buffers of the system take


@dataclass
class Answer:
    """One response; names of `headers` in lower case."""

    status: int
    headers: dict[str, str]
    body: Any


@dataclass
class ServerEvents:
    """Counters of server events, which tests wait for."""

    received: int = 0  # bytes
    closed: int = 0  # connections
    asked: int = 0  # requests that reached the application
    finished: int = 0  # requests that the application is done with
    unparsed: int = 0  # refusals of what never became a request
    idle_checks: int = 0  # ends of the timer of an idle time
    cuts: list[ClosedConnection] = field(default_factory=list)  # connections
    changed: threading.Condition = field(default_factory=threading.Condition)

    def add(self, name: str, number: int = 1) -> None:
        with self.changed:
            setattr(self, name, getattr(self, name) + number)
            self.changed.notify_all()

    @contextlib.contextmanager
    def more(self, name: str, number: int = 1) -> Iterator[None]:
        """Leave the block only after `number` more events."""
        enough = getattr(self, name) + number
        yield
        with self.changed:
            assert self.changed.wait_for(lambda: getattr(self, name) >= enough, TIMEOUT)


class Service:
    """A uvicorn server in a thread, with an application that echoes the request as JSON."""

    def __init__(self, base: type[PublicProtocol | InternalProtocol] = PublicProtocol) -> None:
        self.seen = seen = ServerEvents()
        self.released = threading.Event()

        class Observed(base):  # type: ignore[misc, valid-type]
            def data_received(self, data: bytes) -> None:
                super().data_received(data)
                seen.add("received", len(data))

            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                seen.add("closed")

            def timeout_keep_alive_handler(self) -> None:
                super().timeout_keep_alive_handler()
                seen.add("idle_checks")

        self.protocol = Observed
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        quiet: Any = {"access_log": False, "log_config": None, "server_header": False, "lifespan": "off", "ws": "none"}
        config = uvicorn.Config(self, http=Observed, interface="asgi3", loop="uvloop", proxy_headers=False, **quiet)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})

    def on_unparsed(self, request_id: str, error: Error) -> None:
        self.seen.add("unparsed")

    def on_closed(self, why: ClosedConnection) -> None:
        self.seen.cuts.append(why)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.add("asked")
        length = 0
        if scope["path"] == "/read":
            more = True
            while more:
                message = await receive()
                length += len(message.get("body", b""))
                more = message.get("more_body", False)
        if scope["path"] == "/large":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % LARGE)]})
            await send({"type": "http.response.body", "body": bytes(LARGE)})
            self.seen.add("finished")
            return
        if scope["path"] == "/forever":
            try:
                await anyio.sleep_forever()
            finally:
                self.seen.add("finished")
        if scope["path"] == "/pause":
            await anyio.sleep(0.01)
        if scope["path"] == "/wait":
            await anyio.to_thread.run_sync(self.released.wait, TIMEOUT)
        asked = {
            "method": scope["method"],
            "raw_path": scope["raw_path"].decode("latin-1"),
            "query_string": scope["query_string"].decode("latin-1"),
            "headers": [name.decode("latin-1") for name, _ in scope["headers"]],
            "read": length,
        }
        body = json.dumps(asked).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        self.seen.add("finished")

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.server.should_exit = True
        self.thread.join(TIMEOUT)
        assert not self.thread.is_alive()
        self.listener.close()

    def connect(self) -> socket.socket:
        connection = socket.create_connection(self.listener.getsockname(), timeout=TIMEOUT)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def connect_from(self, address: str) -> socket.socket:
        """A connection from another address of this machine."""
        return socket.create_connection(self.listener.getsockname(), TIMEOUT, (address, 0))

    def connect_narrow(self) -> socket.socket:
        """A connection with small socket buffers, so that an unread response stays in the server."""
        connection = socket.socket()
        connection.settimeout(TIMEOUT)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(self.listener.getsockname())
        return connection

    def ask(self, *segments: bytes) -> list[Answer]:
        """Send each segment after the one before has arrived; return all responses until the server closes."""
        with self.connect() as connection:
            for segment in segments:
                with self.seen.more("received", len(segment)):
                    connection.sendall(segment)
            return answers(read_all(connection))


def read_all(connection: socket.socket) -> bytes:
    data = b""
    while piece := connection.recv(65536):
        data += piece
        assert len(data) < 10 * MIB
    return data


def read_answers(connection: socket.socket, count: int) -> list[Answer]:
    """`count` responses of a connection that stays open."""
    data = b""
    for _ in range(1000):
        piece = connection.recv(65536)
        assert piece, data
        data += piece
        with contextlib.suppress(ValueError):
            if len(found := answers(data)) >= count:
                return found
    raise AssertionError(data)


def answers(data: bytes) -> list[Answer]:
    """The responses in `data`, which must hold nothing else. Raises ValueError where one is incomplete."""
    found = []
    while data:
        head, blank, rest = data.partition(b"\r\n\r\n")
        if not blank:
            raise ValueError(data)
        line, *lines = head.decode("latin-1").split("\r\n")
        version, status, _ = line.split(" ", 2)
        assert version == "HTTP/1.1"
        headers = {name.lower(): value for name, _, value in (text.partition(": ") for text in lines)}
        assert len(headers) == len(lines), lines
        size = int(headers["content-length"])
        if len(rest) < size:
            raise ValueError(data)
        assert headers["content-type"] == "application/json"
        found.append(Answer(int(status), headers, json.loads(rest[:size])))
        data = rest[size:]
    return found


def get(target: bytes = b"/v1/clients/", *lines: bytes, version: bytes = b"HTTP/1.1") -> bytes:
    return b"\r\n".join([b"GET %s %s" % (target, version), b"Host: x", *lines, b"", b""])


def last(target: bytes = b"/v1/clients/", *lines: bytes) -> bytes:
    return get(target, *lines, b"Connection: close")
