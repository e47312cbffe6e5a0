"""Step 0 of the request's life: HTTP parsing on the public listener, where uvicorn gets it as `http=`.

What can't be parsed is answered with the JSON envelope, like every other error, and ends the connection.
A client may be slow, endless or wrong; what it can make us hold is bounded here.
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
from rest_facade.server.connection_limit import ClosedConnection, ProtocolObserver, most_connections

log = structlog.get_logger()

MAX_HEAD = 32 * 1024  # bytes: the request line and the headers; also the trailers of a chunked body
MAX_HEADERS = 100  # fields
MAX_PIPELINED = 100  # requests waiting behind the one being answered
# What is read and dropped after the last answer: enough for a client that sends 10 MB before it reads.
MAX_DROPPED = 16 * 1024 * 1024  # bytes
DROP_TIME = 2.0  # seconds

BLANK_LINE = b"\r\n\r\n"
G, HASH, SLASH = b"G#/"
# RFC 9110, 5.6.2 (token) and RFC 9112, 3 (request line). A target has no fragment.
REQUEST_LINE = re.compile(rb"(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!\"$-~]+) HTTP/1\.[01]\r\n")
UNFINISHED_LINE = re.compile(rb"(?:\r\n)*[ -~]+\r?")


class Protocol(HttpToolsProtocol):
    """One connection of the public listener.

    Whatever it refuses is answered in its turn, after the requests that came before it, and is the last answer:
    400 for what isn't HTTP/1, 405 or 404 for a method that only the parser doesn't know (RFC 9110, 9.1).
    """

    # Hangs on these internals of uvicorn 0.54: `cycle` is the newest request and `pipeline` holds those not yet
    # begun; the cycle's `more_body`, `keep_alive`, `disconnected`, `response_started`, `response_complete`,
    # `on_response` and `transport`; `flow`; `on_header` appends to `self.headers`.

    # Seconds, from the connection or from the first byte of a request to the end of its head.
    HEAD_TIMEOUT = 8.0
    # Seconds that a client has to read what was written to it and did not fit into the buffers of the system.
    READ_TIMEOUT = 20.0

    head = b""  # of a request that arrives in pieces: what there is of it
    reading = True  # False: the connection is to end, what still arrives is dropped
    ended = False  # True: the client has said that nothing more comes from it
    dropped = 0  # bytes
    deadline: TimerHandle | None = None  # of the head, then of the closing
    reader: TimerHandle | None = None  # the deadline of the client to read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            # Closed at once, without an answer: whoever is connected already goes on being served.
            self.cut(ClosedConnection.MANY)
            return
        self.deadline = self.loop.call_later(self.HEAD_TIMEOUT, self.head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self.unset_deadline()
        self.unset_reader()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whoever asks nothing more may still wait for answers (RFC 9112, 9.6). A client that left looks the same."""
        self.ended = True
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            return False  # closes; whichever time limit is running goes on
        self.make_last(cycle)
        return True

    def pause_writing(self) -> None:
        super().pause_writing()
        self.expect_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self.unset_reader()

    def timeout_keep_alive_handler(self) -> None:
        self.close()

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if not self.reading:
            self.drop(data)
        elif data[0] == G and not self.head and data.find(BLANK_LINE, 0, MAX_HEAD) == len(data) - 4:
            self.feed(data)  # exactly one GET, as nearly always
        else:
            self.feed_pieces(data)
        cycle = self.cycle
        if cycle is not None and cycle.more_body and self.reading:
            # No answer needs a body, so one that didn't come along with its head is not waited for: the answer
            # ends the connection, cheaper for both sides than to read 10 MB in order to keep it.
            self.make_last(cycle)

    def feed_pieces(self, data: bytes) -> None:
        """Feed one head at a time, so that `head` begins with a request line: httptools knows no positions."""
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
            self.drop(data[start:])
        elif self.head and self.deadline is None and not self.in_body():
            self.deadline = self.loop.call_later(self.HEAD_TIMEOUT, self.head_is_late)

    def check_head(self, in_body: bool) -> None:
        """Refuse what the parser would go on reading."""
        if len(self.head) > MAX_HEAD or len(self.pipeline) > MAX_PIPELINED:
            self.refuse(TOO_LARGE)
        elif not in_body and self.head.endswith(BLANK_LINE):
            # Half a preface of HTTP/2, or a second empty line before a request (RFC 9112, 2.2 asks to ignore one).
            self.refuse(refusal_of(self.head))

    def feed(self, data: bytes) -> None:
        """Parse `data`, at most MAX_HEAD bytes of which no head ends before the last."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Also CONNECT. The application has the request; where another would begin, the parser can't say.
            self.reading = False
            self.make_last(self.cycle)
        except httptools.HttpParserError as problem:
            error = MALFORMED if self.in_body() else error_of(problem, self.head or data)
            if error is not None:
                self.refuse(error)

    def in_body(self) -> bool:
        return self.cycle is not None and self.cycle.more_body

    def on_headers_complete(self) -> None:
        if self.deadline is not None:
            self.unset_deadline()
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
            cycle.on_response = self.expect_reader  # the cycle itself closes before it calls that
        self.head = b""
        self.headers = []  # for trailers, which are not to join the headers that the application reads

    def on_body(self, body: bytes) -> None:
        self.head = b""
        super().on_body(body)

    def refuse(self, error: Error) -> None:
        """Answer `error` when it is its turn, then end the connection."""
        self.reading = False
        self.unset_deadline()
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            self.answer(error)
        elif not cycle.more_body:
            if cycle.keep_alive:
                cycle.on_response = partial(self.answer, error)
        elif cycle.response_started or self.pipeline:
            self.make_last(cycle)
        else:
            # The application has this request, but not its body. To the application, the client is gone.
            cycle.disconnected = True
            cycle.message_event.set()
            self.answer(error)

    def answer(self, error: Error) -> None:
        if self.transport.is_closing():
            return
        request_id = new_request_id()
        cast("ProtocolObserver", self.app).unparsed(request_id, error)
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
        # A server that is about to end may say so in its own headers, too.
        head = b"".join(b"%s: %s\r\n" % field for field in (dict(self.server_state.default_headers) | fields).items())
        self.transport.write(STATUS_LINE[error.status] + head + b"\r\n" + body)
        self.hang_up()

    def drop(self, data: bytes) -> None:
        self.dropped += len(data)
        if self.dropped > MAX_DROPPED:
            self.close()

    def make_last(self, cycle: RequestResponseCycle) -> None:
        """Let the answer to `cycle` be the last of the connection, and say so in it."""
        cycle.keep_alive = False
        cycle.transport = LastTransport(self)

    def hang_up(self) -> None:
        """Say that nothing follows, and for a while drop what still arrives.

        To close over unread input would reset the connection, and the client could lose the answer.
        """
        self.reading = False
        self.unset_deadline()
        self.pipeline.clear()
        if self.ended or self.transport.is_closing() or not self.transport.can_write_eof():
            self.close()
            return
        self.transport.write_eof()
        self.flow.resume_reading()
        self.deadline = self.loop.call_later(DROP_TIME, self.close)

    def head_is_late(self) -> None:
        """Close without an answer, unless one is still owed; then that is the last."""
        self.reading = False
        if self.cycle is None or self.cycle.response_complete:
            cast("ProtocolObserver", self.app).cut(ClosedConnection.HEAD)
            self.close()
        else:
            self.make_last(self.cycle)

    def close(self) -> None:
        """End the connection as soon as what was written is read, and no later than READ_TIMEOUT from now."""
        self.expect_reader()
        self.transport.close()

    def expect_reader(self) -> None:
        if self.reader is None:
            self.reader = self.loop.call_later(self.READ_TIMEOUT, self.cut, ClosedConnection.READER)

    def unset_reader(self) -> None:
        if self.reader is not None:
            self.reader.cancel()
            self.reader = None

    def cut(self, why: ClosedConnection) -> None:
        """End the connection at once: what was not sent yet is lost."""
        cast("ProtocolObserver", self.app).cut(why)
        self.transport.abort()

    def unset_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _should_upgrade(self) -> bool:
        return False  # a request for another protocol is answered like any other (RFC 9110, 7.8)


class LastTransport(asyncio.Transport):
    """What the last request of a connection writes to: its `close` hangs up."""

    def __init__(self, protocol: Protocol) -> None:
        super().__init__()
        self.protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.protocol.transport.write(data)

    def is_closing(self) -> bool:
        return self.protocol.transport.is_closing()

    def close(self) -> None:
        self.protocol.hang_up()


def error_of(problem: httptools.HttpParserError, head: bytes) -> Error | None:
    """What to answer. None while the request line, which decides between 400, 404 and 405, is incomplete."""
    if isinstance(problem, httptools.HttpParserCallbackError):
        cause = problem.__context__
        if isinstance(cause, Refused):
            return cause.error
        if not isinstance(cause, httptools.HttpParserError):
            log.error("exception in the HTTP protocol", exc_info=cause)
            return INTERNAL_ERROR
        return MALFORMED
    return None if UNFINISHED_LINE.fullmatch(head) else refusal_of(head)


def refusal_of(head: bytes) -> Error:
    """What to answer to a request that the parser refuses: where only its method is at fault, that of any method."""
    line = REQUEST_LINE.match(head)
    if line is None or is_known(line[1]):
        return MALFORMED
    return METHOD_NOT_ALLOWED if line[2].startswith(b"/v1/") else ROUTE_NOT_FOUND


def origin_form(target: bytes, method: bytes) -> bytes:
    """The path and the query of a target in absolute-form; `*` stays (RFC 9112, 3.2). Raises Refused."""
    if target == b"*":
        return target
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        raise Refused(ROUTE_NOT_FOUND if method == b"CONNECT" else MALFORMED) from None
    return (url.path or b"/") + (b"" if url.query is None else b"?" + url.query)


def is_known(method: bytes) -> bool:
    """Whether the parser takes requests of this method. It publishes no list, so it is asked."""
    try:
        httptools.HttpRequestParser(object()).feed_data(method + b" / HTTP/1.1\r\nHost: x\r\n\r\n")
    except httptools.HttpParserUpgrade:
        return True
    except httptools.HttpParserError:
        return False
    return True
