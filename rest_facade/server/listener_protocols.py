"""The HTTP protocols of the two listeners: how many connections, and which bodies, each of them takes."""

import resource
from functools import cache
from typing import NamedTuple

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.server.http_protocol import LimitedProtocol

RESERVED_DESCRIPTORS = 96
"""File descriptors kept for listeners, the log, the database, the quota store, the event loop and operators."""

MAX_CONNECTIONS, MIN_CONNECTIONS = 10_000, 16
"""Bounds of the limit, whatever the system's limit of open files is. An idle connection costs about 10 KB."""

MAX_INTERNAL_CONNECTIONS = 256
"""The same for the internal listener, which has few clients."""


class ConnectionLimits(NamedTuple):
    """How many client connections each listener of a process may hold open."""

    public: int
    internal: int


@cache
def connection_limits() -> ConnectionLimits:
    """The limit of open files less the reserved ones: `accept` would fail in a loop without a free descriptor.

    Each listener has a part of its own, so that the clients of one can't use up the descriptors of the other.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return ConnectionLimits(MAX_CONNECTIONS, MAX_INTERNAL_CONNECTIONS)
    available = soft - RESERVED_DESCRIPTORS
    internal = max(MIN_CONNECTIONS, min(MAX_INTERNAL_CONNECTIONS, available // 4))
    return ConnectionLimits(max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, available - internal)), internal)


class PublicProtocol(LimitedProtocol):
    """One connection of the public listener, whose endpoints read no body."""

    def max_connections(self) -> int:
        return connection_limits().public

    def on_late_body(self) -> None:
        # A body that did not arrive with its head is not awaited: closing the connection after the response is cheaper
        # for both sides than to read 10 MB.
        self.close_after_response()


class InternalProtocol(LimitedProtocol):
    """One connection of the internal listener: /graphql and /mcp read bodies.

    A response that is sent before the whole body was received closes the connection: the rest is not awaited.
    """

    # Seconds from the end of a head to the end of its body.
    BODY_TIMEOUT = 8.0

    was_kept = True  # whether the connection stays open once the incomplete body is received

    def max_connections(self) -> int:
        return connection_limits().internal

    def on_late_body(self) -> None:
        if self.deadline is None:
            self.was_kept = self.close_after_response()
            self.deadline = self.loop.call_later(self.BODY_TIMEOUT, self.on_body_timeout)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self.deadline is not None and self.reading:
            self.cancel_deadline()
            self.keep_open(was_kept=self.was_kept)

    def on_body_timeout(self) -> None:
        """Close the connection, unless the server itself has paused the reading of the body."""
        if self.is_read_paused:
            self.deadline = self.loop.call_later(self.BODY_TIMEOUT, self.on_body_timeout)
        else:
            self.abort(ClosedConnection.SLOW_BODY)


class PublicMcpProtocol(InternalProtocol):
    """One connection of a public listener that has /mcp, which reads bodies."""

    def max_connections(self) -> int:
        return connection_limits().public
