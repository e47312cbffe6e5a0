"""The HTTP protocols of the two listeners: which connections and bodies each of them takes."""

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.server.connection_limit import connection_limits
from rest_facade.server.http_protocol import LimitedProtocol


class PublicProtocol(LimitedProtocol):
    """One connection of the public listener, whose endpoints read no body."""

    def max_connections(self) -> int:
        return connection_limits().public

    def on_late_body(self, cycle: RequestResponseCycle) -> None:
        # A body that did not arrive with its head is not awaited: closing the connection after the response is cheaper
        # for both sides than to read 10 MB.
        self.close_after(cycle)


class InternalProtocol(LimitedProtocol):
    """One connection of the internal listener: /graphql and /mcp read bodies.

    A response that is sent before the whole body was received closes the connection: the rest is not awaited.
    """

    # Seconds from the end of a head to the end of its body.
    BODY_TIMEOUT = 8.0

    keeps_alive = True  # of the request whose body is incomplete, once that is received

    def max_connections(self) -> int:
        return connection_limits().internal

    def on_late_body(self, cycle: RequestResponseCycle) -> None:
        if self.deadline is None:
            self.keeps_alive = cycle.keep_alive
            self.close_after(cycle)
            self.deadline = self.loop.call_later(self.BODY_TIMEOUT, self.on_body_timeout)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self.deadline is not None and self.reading:
            self.cancel_deadline()
            if not self.cycle.response_started:
                self.cycle.keep_alive = self.keeps_alive
                self.cycle.transport = self.transport

    def on_body_timeout(self) -> None:
        """Close the connection, unless the server itself has paused the reading of the body."""
        if self.flow.read_paused:
            self.deadline = self.loop.call_later(self.BODY_TIMEOUT, self.on_body_timeout)
        else:
            self.abort(ClosedConnection.SLOW_BODY)
