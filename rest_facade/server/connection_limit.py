"""How many client connections a process may hold open, and why it closes one without an answer."""

import resource
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from rest_facade.rest.errors import Error

RESERVED_DESCRIPTORS = 96
"""File descriptors kept for listeners, the log, the database, the quota store, the event loop and operators."""

MAX_CONNECTIONS, MIN_CONNECTIONS = 10_000, 16
"""Bounds of the limit, whatever the system's limit of open files is. An idle connection costs about 10 KB."""

MAX_INTERNAL_CONNECTIONS = 256
"""The same for the internal listener, which has few clients."""


class ClosedConnection(StrEnum):
    """Why the server closed a connection without an answer, or in the middle of one. Values are metric labels."""

    SLOW_HEAD = "head"  # the head of a request did not arrive in time
    SLOW_BODY = "body"  # the body of a request did not arrive in time (internal listener only)
    SLOW_READER = "reader"  # the client did not read its answer in time
    TOO_MANY = "many"  # the limit of open connections was reached


PUBLIC_CAUSES: Sequence[ClosedConnection] = [each for each in ClosedConnection if each != ClosedConnection.SLOW_BODY]
"""Why the public listener closes a connection: it reads no bodies."""


class ProtocolObserver(Protocol):
    """What the HTTP protocol reports to the application: events that never reach it as a request."""

    def on_unparsed(self, request_id: str, error: Error) -> None:
        """Bytes that are not HTTP were answered with `error`."""

    def on_closed(self, why: ClosedConnection) -> None:
        """The server closed a connection."""


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
