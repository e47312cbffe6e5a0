"""The HTTP/1.1 protocol of both listeners: a subclass of uvicorn's httptools protocol, passed as `http=`.

Answers unparsable requests with the JSON error envelope, and bounds what one connection may take: the size and time
of a head, pipelined requests, unread responses. What the listeners do differently is in `listener_protocols.py`.

Uses internals of uvicorn 0.54, which pyproject.toml pins to that minor version; `tests/rest_facade/server/
test_http_protocol.py` fails when they change. `cycle` is the newest request and `pipeline` holds those that have not
begun; of a cycle: `more_body`, `keep_alive`, `disconnected`, `message_event`, `response_started`,
`response_complete`, `on_response`, `transport`, `logger`; of the protocol: `flow`, `server_state`, `connections`,
`_unset_keepalive_if_required`, `_should_upgrade`, `_start_asgi_task`, `tasks`; `on_header` appends to `headers`.
"""

import asyncio
import logging
from asyncio.events import TimerHandle
from collections.abc import Sequence
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from rest_facade.errors.closed_connection import ClosedConnection, ProtocolObserver
from rest_facade.errors.envelope import Error, Refused, new_request_id
from rest_facade.errors.refusals import MALFORMED, TOO_LARGE, TOO_MANY_PIPELINED
from rest_facade.server.open_connections import OpenConnections
from rest_facade.server.request_head import (
    error_for_method,
    error_of_parser,
    head_without_upgrade,
    origin_form,
    require_host,
    require_single_spaces,
)
from rest_facade.server.response_cycle import WholeResponseCycle

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application  # private: for an annotation only
    from uvicorn.server import ServerState

MAX_HEAD = 32 * 1024  # bytes: the request line and the headers; also the trailers of a chunked body
MAX_HEADERS = 100  # fields
MAX_PIPELINED = 100  # requests that wait behind the current one
# Input that is read and discarded after the last response: enough for a client that sends 10 MB before it reads.
MAX_DISCARDED = 16 * 1024 * 1024  # bytes
DISCARD_SECONDS = 2.0
# Time for the answer to a half-closed client. One that left looks the same until something is written.
HALF_CLOSED_SECONDS = 1.0

NO_LOGGER = logging.getLogger("uvicorn.departed")
NO_LOGGER.disabled = True

BLANK_LINE = b"\r\n\r\n"
G, HASH, SLASH = b"G#/"


OPEN_CONNECTIONS: "WeakKeyDictionary[ServerState, OpenConnections[LimitedProtocol]]" = WeakKeyDictionary()
"""By listener."""


class LimitedProtocol(HttpToolsProtocol):
    """One connection.

    A refused request is answered in order, after the requests before it, and its response is the last of the
    connection: 400 for bytes that are not HTTP/1, 405 or 404 for a method that only the parser does not know
    (RFC 9110, 9.1).
    """

    # Seconds from the connection, or from the first byte of a request, to the end of its head.
    HEAD_TIMEOUT = 8.0
    # Seconds in which a client must read a response that is larger than the socket buffers.
    READ_TIMEOUT = 20.0

    # How many connections an address may have; None for half of those of the listener.
    per_address: int | None = None
    trusted_proxies: Sequence[IPv4Network | IPv6Network] = ()  # of which each may have all

    open_connections: "OpenConnections[LimitedProtocol]"
    peer = ""
    running: RequestResponseCycle | None = None  # the request that the application has, or had last
    task: asyncio.Task[None]  # that answers it
    is_aborted = False  # True: the server itself has closed the connection, and counted why
    head = b""  # the received part of a head that arrives in pieces
    is_head_whole = True  # False: `head` may lack its first bytes, which came in one read with a body
    reading = True  # False: the connection is closing, input is discarded
    eof = False  # True: the client has half-closed the connection, no more input comes
    discarded = 0  # bytes
    deadline: TimerHandle | None = None  # of the head, then of the discarding
    read_timeout: TimerHandle | None = None
    idle_since: float | None = None  # of the event loop's clock; None during a request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Of a Unix socket, all connections have one address.
        self.peer = self.client[0] if self.client is not None else ""
        self.open_connections = OPEN_CONNECTIONS.setdefault(self.server_state, OpenConnections())
        self.open_connections.add(self, self.peer)
        most = self.max_connections()
        surplus = self.open_connections.one_too_many(
            self,
            self.peer,
            most=most,
            per_address=min(most, self.per_address or max(1, most // 2)),
            proxies=self.trusted_proxies,
        )
        if surplus is not None:
            # Closed without an answer; connections with a request in progress are not affected.
            self.open_connections.remove(surplus, surplus.peer)
            surplus.abort(ClosedConnection.TOO_MANY)
        if surplus is self:
            return
        self.deadline = self.loop.call_later(self.HEAD_TIMEOUT, self.on_head_timeout)

    @property
    def is_idle(self) -> bool:
        """Whether it waits for its client: for a request, or for the rest of one."""
        return self.cycle is None or self.cycle.response_complete or self.in_body()

    @property
    def has_asked(self) -> bool:
        """Whether a request has come."""
        return self.cycle is not None

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_connections.remove(self, self.peer)
        self.cancel_deadline()
        self.cancel_read_timeout()
        super().connection_lost(exc)
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
        # uvicorn marks the newest request only. The running one would write to a transport that no longer exists.
        running = self.running
        if running is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()
            if not self.is_aborted:
                cast("ProtocolObserver", self.app).on_closed(ClosedConnection.CLIENT_LEFT)
            # The work for an answer without a reader would delay others. uvicorn would log the end as an exception.
            running.logger = NO_LOGGER
            self.task.cancel(ClosedConnection.CLIENT_LEFT)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer a half-closed client, which may still read (RFC 9112, 9.6), for HALF_CLOSED_SECONDS."""
        self.eof = True
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            return False  # asyncio closes the transport; a running timeout stays
        self.close_after(cycle)
        self.await_half_closed()
        return True

    def await_half_closed(self) -> None:
        self.cancel_deadline()
        self.deadline = self.loop.call_later(HALF_CLOSED_SECONDS, self.on_half_closed)

    def on_half_closed(self) -> None:
        """Close the connection, unless the client is reading an answer."""
        if self.running is None or self.running.response_started:
            self.await_half_closed()
        else:
            self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.start_read_timeout()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self.cancel_read_timeout()

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
            self.start_keep_alive_timer(self.timeout_keep_alive)

    def start_keep_alive_timer(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def timeout_keep_alive_handler(self) -> None:
        self.timeout_keep_alive_task = None
        if self.idle_since is None:
            return
        if (seconds_left := self.idle_since + self.timeout_keep_alive - self.loop.time()) > 0:
            self.start_keep_alive_timer(seconds_left)
        else:
            self.close()

    def _unset_keepalive_if_required(self) -> None:
        self.idle_since = None  # the timer runs on

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if not self.reading:
            self.discard(data)
        elif (
            data[0] == G
            and not self.head
            and self.is_head_whole
            and data.find(BLANK_LINE, 0, MAX_HEAD) == len(data) - 4
        ):
            self.head = data
            self.feed(data)  # exactly one GET: nearly every read
        else:
            self.feed_pieces(data)
        cycle = self.cycle
        if cycle is not None and cycle.more_body and self.reading:
            self.on_late_body(cycle)

    def feed_pieces(self, data: bytes) -> None:
        """Feed one head at a time, so that `head` begins with a request line: httptools reports no positions."""
        start = 0
        while self.reading and start < len(data):
            in_body = self.in_body()
            end = start + MAX_HEAD if in_body else self.end_of_head(data, start)
            self.head += data[start:end]
            scope = self.scope
            if in_body:
                self.is_head_whole = False
            self.feed(data[start:end])
            start = end
            if in_body and not self.in_body():
                self.head = b""
                self.is_head_whole = self.scope is scope  # else another head began in this piece
            elif self.reading:
                self.check_head(in_body)
                self.is_head_whole = self.is_head_whole or not self.head
        if not self.reading:
            self.discard(data[start:])
        elif self.head and self.deadline is None and not self.in_body():
            self.deadline = self.loop.call_later(self.HEAD_TIMEOUT, self.on_head_timeout)

    def end_of_head(self, data: bytes, start: int) -> int:
        """Where the head ends of which `data` has the next bytes from `start` on, or MAX_HEAD bytes behind that."""
        if before := self.head[-3:]:
            # The blank line may have begun in the last read.
            blank = (before + data[start : start + MAX_HEAD]).find(BLANK_LINE)
            return start + (MAX_HEAD if blank < 0 else blank + 4 - len(before))
        blank = data.find(BLANK_LINE, start, start + MAX_HEAD)
        return start + MAX_HEAD if blank < 0 else blank + 4

    def check_head(self, in_body: bool) -> None:
        """Refuse an incomplete head that the parser would accept more bytes of."""
        if len(self.head) > MAX_HEAD:
            self.refuse(TOO_LARGE)
        elif len(self.pipeline) > MAX_PIPELINED:
            self.refuse(TOO_MANY_PIPELINED)
        elif not in_body and self.head.endswith(BLANK_LINE):
            # Half a preface of HTTP/2, or a second empty line before a request (RFC 9112, 2.2 asks to ignore one).
            self.refuse(error_for_method(self.head))

    def feed(self, data: bytes) -> None:
        """Parse `data`: at most MAX_HEAD bytes; those that follow a body may hold several heads."""
        try:
            while data:
                data = self.parse(data)
        except httptools.HttpParserUpgrade:
            # CONNECT. The application has the request; what follows is not HTTP.
            self.reading = False
            self.close_after(self.cycle)
        except httptools.HttpParserError as parser_error:
            error = MALFORMED if self.in_body() else error_of_parser(parser_error, self.head or data)
            if error is not None:
                self.refuse(error)

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

    def max_connections(self) -> int:
        """How many connections this listener may hold open."""
        raise NotImplementedError

    def on_late_body(self, cycle: RequestResponseCycle) -> None:
        """Called after each read that leaves the body of `cycle` incomplete."""
        raise NotImplementedError

    def in_body(self) -> bool:
        return self.cycle is not None and self.cycle.more_body

    def on_headers_complete(self) -> None:
        if self.deadline is not None:
            self.cancel_deadline()
        if self.parser.should_upgrade() and self._should_upgrade():
            return  # it comes again without the offer (see `parse`)
        if len(self.headers) > MAX_HEADERS or len(self.head) > MAX_HEAD:
            raise Refused(TOO_LARGE)
        method, version = self.parser.get_method(), self.parser.get_http_version()
        # httptools drops a fragment and takes the versions 0.9 and 2.0.
        if HASH in self.url or version not in {"1.1", "1.0"}:
            raise Refused(MALFORMED)
        if self.is_head_whole and self.head:
            require_single_spaces(self.head, method, self.url)
        require_host(self.headers, version)
        if self.url[0] != SLASH:
            self.url = origin_form(self.url, method)
        HttpToolsProtocol.on_headers_complete(self)  # super() would cost a request another 1 %
        cycle = self.cycle
        if not cycle.keep_alive:
            cycle.on_response = self.start_read_timeout  # the cycle itself closes before it calls that
        self.head = b""
        self.headers = []  # trailers go here, not into the headers that the application reads

    def on_body(self, body: bytes) -> None:
        self.head = b""
        super().on_body(body)

    def refuse(self, error: Error) -> None:
        """Answer `error` after the responses before it, then close the connection."""
        self.reading = False
        self.cancel_deadline()
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            self.answer(error)
        elif not cycle.more_body:
            if cycle.keep_alive:
                cycle.on_response = partial(self.answer, error)
        elif cycle.response_started or self.pipeline:
            self.close_after(cycle)
        else:
            # The application has this request without its body. Reading it raises that the client disconnected.
            cycle.disconnected = True
            cycle.message_event.set()
            self.answer(error)

    def answer(self, error: Error) -> None:
        """Write the error response and close the connection."""
        if self.transport.is_closing():
            return
        request_id = new_request_id()
        cast("ProtocolObserver", self.app).on_unparsed(request_id, error)
        body = error.body(request_id)
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Request-ID": request_id,
            "X-Content-Type-Options": "nosniff",
            **error.headers,
            "Connection": "close",
        }
        fields = {name.lower().encode(): value.encode() for name, value in headers.items()}
        # The default headers of a draining server contain `Connection: close`, too.
        head = b"".join(b"%s: %s\r\n" % field for field in (dict(self.server_state.default_headers) | fields).items())
        self.transport.write(STATUS_LINE[error.status] + head + b"\r\n" + body)
        self.half_close()

    def discard(self, data: bytes) -> None:
        self.discarded += len(data)
        if self.discarded > MAX_DISCARDED:
            self.close()

    def close_after(self, cycle: RequestResponseCycle) -> None:
        """Send `Connection: close` with the response to `cycle`, and close the connection after it."""
        cycle.keep_alive = False
        cycle.transport = HalfClosingTransport(self)

    def half_close(self) -> None:
        """Half-close the connection, and discard input for DISCARD_SECONDS before closing it.

        Closing a socket with unread input resets the connection, and the client could lose the response.
        """
        self.reading = False
        self.cancel_deadline()
        self.pipeline.clear()
        if self.eof or self.transport.is_closing() or not self.transport.can_write_eof():
            self.close()
            return
        try:
            self.transport.write_eof()
        except OSError:  # the client has reset the connection, and the event loop has not noticed yet
            self.close()
            return
        self.flow.resume_reading()
        self.deadline = self.loop.call_later(DISCARD_SECONDS, self.close)

    def on_head_timeout(self) -> None:
        """Close an idle connection without an answer; after a request in progress, close behind its response."""
        self.reading = False
        if self.cycle is None or self.cycle.response_complete:
            cast("ProtocolObserver", self.app).on_closed(ClosedConnection.SLOW_HEAD)
            self.close()
        else:
            self.close_after(self.cycle)

    def close(self) -> None:
        """Close the connection once the client has read what was written, or after READ_TIMEOUT."""
        self.start_read_timeout()
        self.transport.close()

    def start_read_timeout(self) -> None:
        if self.read_timeout is None:
            self.read_timeout = self.loop.call_later(self.READ_TIMEOUT, self.abort, ClosedConnection.SLOW_READER)

    def cancel_read_timeout(self) -> None:
        if self.read_timeout is not None:
            self.read_timeout.cancel()
            self.read_timeout = None

    def abort(self, why: ClosedConnection) -> None:
        """Close the connection at once; unsent output is lost."""
        cast("ProtocolObserver", self.app).on_closed(why)
        self.is_aborted = True
        self.transport.abort()

    def cancel_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: "ASGI3Application") -> None:
        self.running = cycle
        cycle.__class__ = WholeResponseCycle  # uvicorn has no other place to name one
        task = self.task = self.loop.create_task(cycle.run_asgi(app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def _should_upgrade(self) -> bool:
        """Whether uvicorn leaves out the current message: it begins a request for each head that it completes."""
        return bool(self.parser.get_method() != b"CONNECT")


class HalfClosingTransport(asyncio.Transport):
    """The transport of the last request of a connection: `close` half-closes first."""

    def __init__(self, protocol: LimitedProtocol) -> None:
        super().__init__()
        self.protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.protocol.transport.write(data)

    def is_closing(self) -> bool:
        return self.protocol.transport.is_closing()

    def close(self) -> None:
        self.protocol.half_close()
