"""The HTTP/1.1 protocol of both listeners, passed to uvicorn as `http=`: its limits, over `uvicorn_internals.py`.

Answers unparsable requests with the JSON error envelope, and bounds what one connection may take: the size and time
of a head, pipelined requests, unread responses. What the listeners do differently is in `listener_protocols.py`.
"""

import asyncio
from asyncio.events import TimerHandle
from collections.abc import Callable, Sequence
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from weakref import WeakKeyDictionary

import httptools
import uvicorn

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.errors.envelope import Error, Refused, new_request_id, raw_headers
from rest_facade.errors.refusals import MALFORMED, TOO_LARGE, TOO_MANY_HEADERS, TOO_MANY_PIPELINED
from rest_facade.server.open_connections import OpenConnections
from rest_facade.server.request_head import (
    error_for_method,
    error_of_parser,
    origin_form,
    require_host,
    require_single_spaces,
)
from rest_facade.server.uvicorn_internals import HttpConnection

MAX_HEAD = 32 * 1024  # bytes: the request line and the headers; also the trailers of a chunked body
MAX_HEADERS = 100  # fields
MAX_PIPELINED = 100  # requests that wait behind the current one
# Input that is read and discarded after the last response: enough for a client that sends 10 MB before it reads.
MAX_DISCARDED = 16 * 1024 * 1024  # bytes
DISCARD_SECONDS = 2.0
# Time for the answer to a half-closed client. One that left looks the same until something is written.
HALF_CLOSED_SECONDS = 1.0

BLANK_LINE = b"\r\n\r\n"
G, HASH, SLASH = b"G#/"


OPEN_CONNECTIONS: WeakKeyDictionary[uvicorn.Config, OpenConnections] = WeakKeyDictionary()
"""By listener."""


class LimitedProtocol(HttpConnection):
    """One connection.

    A refused request is answered in order, after the requests before it, and its response is the last of the
    connection: 400 for bytes that are not HTTP/1, 405 or 404 for a method that only the parser does not know
    (RFC 9110, 9.1).
    """

    # Seconds from the connection, or from the first byte of a request, to the end of its head.
    HEAD_TIMEOUT = 8.0
    # Seconds in which a client must read a response that is larger than the socket buffers.
    READ_TIMEOUT = 20.0

    # What a subclass has: how many connections its listener may hold open, and what it does after each read that leaves
    # the body of the newest request incomplete.
    max_connections: Callable[[], int]
    on_late_body: Callable[[], None]

    # How many connections an address may have; None for half of those of the listener.
    per_address: int | None = None
    trusted_proxies: Sequence[IPv4Network | IPv6Network] = ()  # of which each may have all

    open_connections: OpenConnections
    head = b""  # the received part of a head that arrives in pieces
    is_head_whole = True  # False: `head` may lack its first bytes, which came in one read with a body
    reading = True  # False: the connection is closing, input is discarded
    eof = False  # True: the client has half-closed the connection, no more input comes
    discarded = 0  # bytes
    deadline: TimerHandle | None = None  # of the head, then of the discarding
    read_timeout: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.open_connections = OPEN_CONNECTIONS.setdefault(self.config, OpenConnections())
        self.open_connections.add(self)
        most = self.max_connections()
        surplus = self.open_connections.one_too_many(
            self, most=most, per_address=min(most, self.per_address or max(1, most // 2)), proxies=self.trusted_proxies
        )
        if surplus is not None:
            # Closed without an answer; connections with a request in progress are not affected.
            self.open_connections.remove(surplus)
            surplus.abort(ClosedConnection.TOO_MANY)
        if surplus is self:
            return
        self.deadline = self.loop.call_later(self.HEAD_TIMEOUT, self.on_head_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_connections.remove(self)
        self.cancel_deadline()
        self.cancel_read_timeout()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer a half-closed client, which may still read (RFC 9112, 9.6), for HALF_CLOSED_SECONDS."""
        self.eof = True
        if self.is_idle:
            return False  # asyncio closes the transport; a running timeout stays
        self.close_after_response()
        self.await_half_closed()
        return True

    def await_half_closed(self) -> None:
        self.cancel_deadline()
        self.deadline = self.loop.call_later(HALF_CLOSED_SECONDS, self.on_half_closed)

    def on_half_closed(self) -> None:
        """Close the connection, unless the client is reading an answer."""
        if self.is_answering:
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

    def data_received(self, data: bytes) -> None:
        self.idle_since = None
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
        if self.reading and self.in_body():
            self.on_late_body()

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
        elif self.waiting > MAX_PIPELINED:
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
            self.close_after_response()
        except httptools.HttpParserError as parser_error:
            error = MALFORMED if self.in_body() else error_of_parser(parser_error, self.head or data)
            if error is not None:
                self.refuse(error)

    def on_headers_complete(self) -> None:
        if self.deadline is not None:
            self.cancel_deadline()
        HttpConnection.on_headers_complete(self)  # super() would cost a request another 1 %

    def accept_head(self, method: bytes, version: str, target: bytes, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
        if len(self.head) > MAX_HEAD:
            raise Refused(TOO_LARGE)
        if len(headers) > MAX_HEADERS:
            raise Refused(TOO_MANY_HEADERS)
        # httptools drops a fragment and takes the versions 0.9 and 2.0.
        if HASH in target or version not in {"1.1", "1.0"}:
            raise Refused(MALFORMED)
        if self.is_head_whole and self.head:
            require_single_spaces(self.head, method, target)
        require_host(headers, version)
        self.head = b""
        return target if target[0] == SLASH else origin_form(target, method)

    def on_body(self, body: bytes) -> None:
        self.head = b""
        super().on_body(body)

    def refuse(self, error: Error) -> None:
        """Answer `error` after the responses before it, then close the connection."""
        self.reading = False
        self.cancel_deadline()
        self.answer_last(partial(self.answer, error))

    def answer(self, error: Error) -> None:
        """Write the error response and close the connection."""
        if self.transport.is_closing():
            return
        request_id = new_request_id()
        self.observer.on_unparsed(request_id, error)
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
        self.write_response(error.status, raw_headers(headers), body)
        self.half_close()

    def discard(self, data: bytes) -> None:
        self.discarded += len(data)
        if self.discarded > MAX_DISCARDED:
            self.close()

    def half_close(self) -> None:
        """Half-close the connection, and discard input for DISCARD_SECONDS before closing it.

        Closing a socket with unread input resets the connection, and the client could lose the response.
        """
        self.reading = False
        self.cancel_deadline()
        self.drop_waiting()
        if self.eof or self.transport.is_closing() or not self.transport.can_write_eof():
            self.close()
            return
        try:
            self.transport.write_eof()
        except OSError:  # the client has reset the connection, and the event loop has not noticed yet
            self.close()
            return
        self.resume_reading()
        self.deadline = self.loop.call_later(DISCARD_SECONDS, self.close)

    def on_head_timeout(self) -> None:
        """Close an idle connection without an answer; after a request in progress, close behind its response."""
        self.reading = False
        if self.is_answered:
            self.observer.on_closed(ClosedConnection.SLOW_HEAD)
            self.close()
        else:
            self.close_after_response()

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
        self.is_aborted = True
        self.transport.abort()
        self.observer.on_closed(why)

    def cancel_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
