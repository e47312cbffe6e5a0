"""Response cycle: writes a response whose whole body is known at once, with its head, in one call of the kernel.

uvicorn writes the head and then the body, and tests each header with two regular expressions. Uses internals of uvicorn
(see `rest_facade.server.http_protocol`).
"""

from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent, HTTPResponseStartEvent  # private: for annotations only

CLOSE = (b"connection", b"close")
"""What the default headers of a draining server contain."""


class WholeResponseCycle(RequestResponseCycle):
    """The cycle of one request. Responses that are not whole, without a length, to methods other than GET, or the last
    of a connection, are written by uvicorn.
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
