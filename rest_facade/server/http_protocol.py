"""The HTTP/1.1 protocol of the public listener: a subclass of uvicorn's httptools protocol, passed as `http=`.

Answers unparsable requests with the JSON error envelope, and bounds what one connection may take: the size and time
of a head, pipelined requests, unread responses.

Uses internals of uvicorn 0.54, which pyproject.toml pins to that minor version; `tests/rest_facade/server/
test_http_protocol.py` fails when they change. `cycle` is the newest request and `pipeline` holds those that have not
begun; of a cycle: `more_body`, `keep_alive`, `disconnected`, `message_event`, `response_started`,
`response_complete`, `on_response`, `transport`; of the protocol: `flow`, `server_state`, `connections`,
`_unset_keepalive_if_required`, `_should_upgrade`; `on_header` appends to `headers`.
"""

import asyncio
import re
from asyncio.events import TimerHandle
from functools import partial
from typing import cast

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from rest_facade.rest.errors import (
    INTERNAL_ERROR,
    MALFORMED,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    TOO_LARGE,
    Error,
    Refused,
    new_request_id,
)
from rest_facade.server.connection_limit import ClosedConnection, ProtocolObserver, max_open_connections

log = structlog.get_logger()

MAX_HEAD = 32 * 1024  # bytes: the request line and the headers; also the trailers of a chunked body
MAX_HEADERS = 100  # fields
MAX_PIPELINED = 100  # requests that wait behind the current one
# Input that is read and discarded after the last response: enough for a client that sends 10 MB before it reads.
MAX_DISCARDED = 16 * 1024 * 1024  # bytes
DISCARD_SECONDS = 2.0

BLANK_LINE = b"\r\n\r\n"
G, HASH, SLASH = b"G#/"
# RFC 9110, 5.6.2 (token) and RFC 9112, 3 (request line). A target has no fragment.
REQUEST_LINE = re.compile(rb"(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!\"$-~]+) HTTP/1\.[01]\r\n")
UNFINISHED_LINE = re.compile(rb"(?:\r\n)*[ -~]+\r?")


class Protocol(HttpToolsProtocol):
    """One connection of the public listener.

    A refused request is answered in order, after the requests before it, and its response is the last of the
    connection: 400 for bytes that are not HTTP/1, 405 or 404 for a method that only the parser does not know
    (RFC 9110, 9.1).
    """

    # Seconds from the connection, or from the first byte of a request, to the end of its head.
    HEAD_TIMEOUT = 8.0
    # Seconds in which a client must read a response that is larger than the socket buffers.
    READ_TIMEOUT = 20.0

    head = b""  # the received part of a head that arrives in pieces
    reading = True  # False: the connection is closing, input is discarded
    eof = False  # True: the client has half-closed the connection, no more input comes
    discarded = 0  # bytes
    deadline: TimerHandle | None = None  # of the head, then of the discarding
    read_timeout: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > max_open_connections():
            # Closed without an answer; connections that are open are not affected.
            self.abort(ClosedConnection.TOO_MANY)
            return
        self.deadline = self.loop.call_later(self.HEAD_TIMEOUT, self.on_head_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        self.cancel_deadline()
        self.cancel_read_timeout()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer a half-closed client, which may still read (RFC 9112, 9.6). A client that left looks the same."""
        self.eof = True
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            return False  # asyncio closes the transport; a running timeout stays
        self.close_after(cycle)
        return True

    def pause_writing(self) -> None:
        super().pause_writing()
        self.start_read_timeout()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self.cancel_read_timeout()

    def timeout_keep_alive_handler(self) -> None:
        self.close()

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if not self.reading:
            self.discard(data)
        elif data[0] == G and not self.head and data.find(BLANK_LINE, 0, MAX_HEAD) == len(data) - 4:
            self.feed(data)  # exactly one GET: nearly every read
        else:
            self.feed_pieces(data)
        cycle = self.cycle
        if cycle is not None and cycle.more_body and self.reading:
            # No endpoint reads a body. A body that did not arrive with its head is not awaited: closing the
            # connection after the response is cheaper for both sides than to read 10 MB.
            self.close_after(cycle)

    def feed_pieces(self, data: bytes) -> None:
        """Feed one head at a time, so that `head` begins with a request line: httptools reports no positions."""
        start = 0
        while self.reading and start < len(data):
            in_body = self.in_body()
            blank = -1 if in_body else data.find(BLANK_LINE, start, start + MAX_HEAD)
            end = start + MAX_HEAD if blank < 0 else blank + 4
            self.head += data[start:end]
            self.feed(data[start:end])
            start = end
            if in_body and not self.in_body():
                self.head = b""
            elif self.reading:
                self.check_head(in_body)
        if not self.reading:
            self.discard(data[start:])
        elif self.head and self.deadline is None and not self.in_body():
            self.deadline = self.loop.call_later(self.HEAD_TIMEOUT, self.on_head_timeout)

    def check_head(self, in_body: bool) -> None:
        """Refuse an incomplete head that the parser would accept more bytes of."""
        if len(self.head) > MAX_HEAD or len(self.pipeline) > MAX_PIPELINED:
            self.refuse(TOO_LARGE)
        elif not in_body and self.head.endswith(BLANK_LINE):
            # Half a preface of HTTP/2, or a second empty line before a request (RFC 9112, 2.2 asks to ignore one).
            self.refuse(error_for_method(self.head))

    def feed(self, data: bytes) -> None:
        """Parse `data`: at most MAX_HEAD bytes, in which a head ends at the last byte or not at all."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Also CONNECT. The application has the request; the parser can't say where the next one would begin.
            self.reading = False
            self.close_after(self.cycle)
        except httptools.HttpParserError as parser_error:
            error = MALFORMED if self.in_body() else error_of_parser(parser_error, self.head or data)
            if error is not None:
                self.refuse(error)

    def in_body(self) -> bool:
        return self.cycle is not None and self.cycle.more_body

    def on_headers_complete(self) -> None:
        if self.deadline is not None:
            self.cancel_deadline()
        if len(self.headers) > MAX_HEADERS or len(self.head) > MAX_HEAD:
            raise Refused(TOO_LARGE)
        # httptools drops a fragment and takes the versions 0.9 and 2.0.
        if HASH in self.url or self.parser.get_http_version() not in {"1.1", "1.0"}:
            raise Refused(MALFORMED)
        if self.url[0] != SLASH:
            self.url = origin_form(self.url, self.parser.get_method())
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
            # The application has this request without its body. It is told that the client disconnected.
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
        self.transport.write_eof()
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
        self.transport.abort()

    def cancel_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _should_upgrade(self) -> bool:
        return False  # a request for another protocol is answered like any other (RFC 9110, 7.8)


class HalfClosingTransport(asyncio.Transport):
    """The transport of the last request of a connection: `close` half-closes first."""

    def __init__(self, protocol: Protocol) -> None:
        super().__init__()
        self.protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.protocol.transport.write(data)

    def is_closing(self) -> bool:
        return self.protocol.transport.is_closing()

    def close(self) -> None:
        self.protocol.half_close()


def error_of_parser(raised: httptools.HttpParserError, head: bytes) -> Error | None:
    """The error to answer. None while the request line is incomplete: it decides between 400, 404 and 405."""
    if isinstance(raised, httptools.HttpParserCallbackError):
        cause = raised.__context__
        if isinstance(cause, Refused):
            return cause.error
        if not isinstance(cause, httptools.HttpParserError):
            log.error("exception in the HTTP protocol", exc_info=cause)
            return INTERNAL_ERROR
        return MALFORMED
    return None if UNFINISHED_LINE.fullmatch(head) else error_for_method(head)


def error_for_method(head: bytes) -> Error:
    """The error for a request that the parser refuses: 400, or 404 and 405 where only its method is unknown."""
    line = REQUEST_LINE.match(head)
    if line is None or is_parser_method(line[1]):
        return MALFORMED
    return METHOD_NOT_ALLOWED if line[2].startswith(b"/v1/") else ROUTE_NOT_FOUND


def origin_form(target: bytes, method: bytes) -> bytes:
    """The path and query of a target in absolute-form; `*` is returned unchanged (RFC 9112, 3.2). Raises Refused."""
    if target == b"*":
        return target
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        raise Refused(ROUTE_NOT_FOUND if method == b"CONNECT" else MALFORMED) from None
    return (url.path or b"/") + (b"" if url.query is None else b"?" + url.query)


def is_parser_method(method: bytes) -> bool:
    """Whether the parser accepts this method. httptools publishes no list, so a request is parsed."""
    try:
        httptools.HttpRequestParser(object()).feed_data(method + b" / HTTP/1.1\r\nHost: x\r\n\r\n")
    except httptools.HttpParserUpgrade:
        return True
    except httptools.HttpParserError:
        return False
    return True
