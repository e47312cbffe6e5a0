"""What the listeners need of uvicorn beyond its documented settings; no other module does.

Relies on internals of uvicorn 0.54, which pyproject.toml pins to that minor version. `cycle` is the newest request and
`pipeline` holds those that have not begun; of a cycle: `more_body`, `keep_alive`, `disconnected`, `message_event`,
`response_started`, `response_complete`, `on_response`, `transport`, `logger`, `send`; of the protocol: `flow`,
`server_state`, `client`, `parser`, `url`, `headers`, `timeout_keep_alive_task`, `_unset_keepalive_if_required`,
`_should_upgrade`, `_start_asgi_task`, `tasks`; of the server: `capture_signals`, `server_state`.
`tests/rest_facade/server/test_uvicorn_internals.py` and `test_http_protocol.py` fail when they change.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, cast

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from rest_facade.errors.closed_connection import ClosedConnection, ProtocolObserver
from rest_facade.errors.envelope import RawHeaders
from rest_facade.server.request_head import head_without_upgrade

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application, ASGISendEvent, HTTPResponseStartEvent

CLOSE = (b"connection", b"close")
"""What the default headers of a draining server contain."""

NO_LOGGER = logging.getLogger("uvicorn.departed")
NO_LOGGER.disabled = True


class UvicornServer(uvicorn.Server):
    """A uvicorn server without signal handlers: the process runs two servers and handles signals itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    def disable_keep_alive(self) -> None:
        """Send `Connection: close` with every response from now on (RFC 9112, 9.6)."""
        self.config.encoded_headers.append(CLOSE)  # uvicorn makes the default headers from these every second
        self.server_state.default_headers = [*self.server_state.default_headers, CLOSE]


class WholeResponseCycle(RequestResponseCycle):
    """The cycle of one request: writes a response whose whole body is known, with its head, in one call of the kernel.

    uvicorn writes the head and then the body, and tests each header with two regular expressions. It writes the
    responses that are not whole, without a length, to methods other than GET, or the last of a connection.
    """

    _start: "HTTPResponseStartEvent | None" = None
    """The first message, until the second shows whether the response is whole."""

    async def send(self, message: "ASGISendEvent") -> None:
        if message["type"] == "http.response.start" and not self.response_started and self._start is None:
            self._start = message
            return
        start, self._start = self._start, None
        if start is None:
            await super().send(message)
        elif message["type"] != "http.response.body" or message.get("more_body") or not self._may_write_at_once(start):
            await super().send(start)
            await super().send(message)
        else:
            self._write(start, message.get("body", b""))

    def _may_write_at_once(self, start: "HTTPResponseStartEvent") -> bool:
        return (
            self.keep_alive
            and self.scope["method"] == "GET"
            and b"content-length" in [name for name, _ in start["headers"]]
            and not (self.flow.write_paused or self.disconnected or self.access_log or CLOSE in self.default_headers)
        )

    def _write(self, start: "HTTPResponseStartEvent", body: bytes) -> None:
        headers = [*self.default_headers, *start["headers"]]
        lines = [STATUS_LINE[start["status"]]]
        for name, value in headers:
            lines += (name, b": ", value, b"\r\n")
        lines += (b"\r\n", body)
        data, line_count = b"".join(lines), len(headers) + 2
        head_length = len(data) - len(body)
        if not data.count(b"\n", 0, head_length) == data.count(b"\r", 0, head_length) == line_count:
            raise RuntimeError("A header contains a line break.")
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        self.transport.write(data)
        self.message_event.set()
        self.on_response()


class HttpConnection(HttpToolsProtocol):
    """One connection, whose requests are answered one after another. A subclass says what a request may be."""

    peer = ""
    running: RequestResponseCycle | None = None  # the request that the application has, or had last
    task: asyncio.Task[None]  # that answers it
    is_aborted = False  # True: the server itself has closed the connection, and counted why
    idle_since: float | None = None  # of the event loop's clock; None during a request

    # What a subclass has. `accept_head` returns the path and query of a head that is complete, and may raise Refused.
    accept_head: Callable[[bytes, str, bytes, Sequence[tuple[bytes, bytes]]], bytes]
    start_read_timeout: Callable[[], None]
    half_close: Callable[[], None]  # behind the last response
    close: Callable[[], None]  # when it is idle
    abort: Callable[[ClosedConnection], None]

    @property
    def observer(self) -> ProtocolObserver:
        return cast("ProtocolObserver", self.app)

    @property
    def is_answered(self) -> bool:
        """Whether no request waits for its response."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_idle(self) -> bool:
        """Whether it waits for its client: for a request, or for the rest of one."""
        return self.is_answered or self.in_body()

    @property
    def has_asked(self) -> bool:
        """Whether a request has come."""
        return self.cycle is not None

    @property
    def is_answering(self) -> bool:
        """Whether the response to the running request has begun."""
        return self.running is None or self.running.response_started

    @property
    def is_read_paused(self) -> bool:
        """Whether the application does not take what the client sends."""
        return self.flow.read_paused

    @property
    def waiting(self) -> int:
        """How many requests have not begun."""
        return len(self.pipeline)

    def in_body(self) -> bool:
        return self.cycle is not None and self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Of a Unix socket, all connections have one address.
        self.peer = self.client[0] if self.client is not None else ""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
        # uvicorn marks the newest request only. The running one would write to a transport that no longer exists.
        running = self.running
        if running is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()
            if not self.is_aborted:
                self.observer.on_closed(ClosedConnection.CLIENT_LEFT)
            # The work for an answer without a reader would delay others. uvicorn would log the end as an exception.
            running.logger = NO_LOGGER
            self.task.cancel(ClosedConnection.CLIENT_LEFT)

    def on_response_complete(self) -> None:
        """Begin the next request, or the idle time. One timer serves many requests: each would cost a new one."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            return
        self.idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._start_keep_alive_timer(self.timeout_keep_alive)

    def _start_keep_alive_timer(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def timeout_keep_alive_handler(self) -> None:
        self.timeout_keep_alive_task = None
        if self.idle_since is None:
            return
        if (seconds_left := self.idle_since + self.timeout_keep_alive - self.loop.time()) > 0:
            self._start_keep_alive_timer(seconds_left)
        else:
            self.close()

    def _unset_keepalive_if_required(self) -> None:
        self.idle_since = None  # the timer runs on

    def parse(self, data: bytes) -> bytes:
        """Parse `data` up to the end of a head that offers another protocol; return what is to be parsed next.

        The offer is ignored (RFC 9110, 7.8). A parser of httptools ends such a request at its head, and would read
        the body as the next request: a new one parses the head without the offer, and goes on from there. Raises
        HttpParserUpgrade for CONNECT only.
        """
        parser = self.parser
        try:
            parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if not self._should_upgrade():
                raise
            self.parser = httptools.HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
            line = b"%b %b HTTP/%b" % (parser.get_method(), self.url, parser.get_http_version().encode())
            return head_without_upgrade(line, self.headers) + data[upgrade.args[0] :]
        return b""

    def on_headers_complete(self) -> None:
        parser = self.parser
        if parser.should_upgrade() and self._should_upgrade():
            return  # it comes again without the offer (see `parse`)
        self.url = self.accept_head(parser.get_method(), parser.get_http_version(), self.url, self.headers)
        HttpToolsProtocol.on_headers_complete(self)
        cycle = self.cycle
        if not cycle.keep_alive:
            cycle.on_response = self.start_read_timeout  # the cycle itself closes before it calls that
        self.headers = []  # trailers go here, not into the headers that the application reads

    def _should_upgrade(self) -> bool:
        """Whether uvicorn leaves out the current message: it begins a request for each head that it completes."""
        return bool(self.parser.get_method() != b"CONNECT")

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: "ASGI3Application") -> None:
        self.running = cycle
        cycle.__class__ = WholeResponseCycle  # uvicorn has no other place to name one
        task = self.task = self.loop.create_task(cycle.run_asgi(app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def close_after_response(self) -> bool:
        """Send `Connection: close` with the response to the newest request, and close the connection after it.

        Returns whether the connection would have stayed open.
        """
        was_kept, self.cycle.keep_alive = self.cycle.keep_alive, False
        self.cycle.transport = HalfClosingTransport(self)
        return was_kept

    def keep_open(self, *, was_kept: bool) -> None:
        """Undo `close_after_response`, unless the response has begun."""
        if not self.cycle.response_started:
            self.cycle.keep_alive, self.cycle.transport = was_kept, self.transport

    def answer_last(self, answer: Callable[[], None]) -> None:
        """Call `answer` after the responses before it; not at all if the newest request is answered instead."""
        cycle = self.cycle
        if self.is_answered:
            answer()
        elif not cycle.more_body:
            if cycle.keep_alive:
                cycle.on_response = answer
        elif self.pipeline:
            # The newest request waits for its turn, and the rest of its body is not read: the answer is its own.
            self.pipeline.popleft()
            self.cycle = self.pipeline[0][0] if self.pipeline else cast("RequestResponseCycle", self.running)
            self.answer_last(answer)
        elif cycle.response_started:
            self.close_after_response()
        else:
            # The application has this request without its body. Reading it raises that the client disconnected.
            cycle.disconnected = True
            cycle.message_event.set()
            answer()

    def write_response(self, status: int, headers: RawHeaders, body: bytes) -> None:
        """Write a response that is the server's own, and the last of the connection."""
        # The default headers of a draining server contain `Connection: close`, too.
        fields = {**dict(self.server_state.default_headers), **headers}
        head = b"".join(b"%s: %s\r\n" % field for field in fields.items())
        self.transport.write(STATUS_LINE[status] + head + b"\r\n" + body)

    def drop_waiting(self) -> None:
        """Drop the requests that have not begun."""
        self.pipeline.clear()

    def resume_reading(self) -> None:
        self.flow.resume_reading()


class HalfClosingTransport(asyncio.Transport):
    """The transport of the last request of a connection: `close` half-closes first."""

    def __init__(self, connection: HttpConnection) -> None:
        super().__init__()
        self.connection = connection

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.connection.transport.write(data)

    def is_closing(self) -> bool:
        return self.connection.transport.is_closing()

    def close(self) -> None:
        self.connection.half_close()
