"""How many client connections a process may hold open, and why it closes one without an answer."""

import resource
from enum import StrEnum
from functools import cache
from typing import Protocol

from rest_facade.rest.errors import Error

RESERVED_DESCRIPTORS = 96
"""File descriptors kept for listeners, the log, the database, the quota store, the event loop and operators."""

MAX_CONNECTIONS, MIN_CONNECTIONS = 10_000, 16
"""Bounds of the limit, whatever the system's limit of open files is. An idle connection costs about 10 KB."""


class ClosedConnection(StrEnum):
    """Why the server closed a connection without an answer, or in the middle of one. Values are metric labels."""

    SLOW_HEAD = "head"  # the head of a request did not arrive in time
    SLOW_READER = "reader"  # the client did not read its answer in time
    TOO_MANY = "many"  # the limit of open connections was reached


class ProtocolObserver(Protocol):
    """What the HTTP protocol reports to the application: events that never reach it as a request."""

    def on_unparsed(self, request_id: str, error: Error) -> None:
        """Bytes that are not HTTP were answered with `error`."""

    def on_closed(self, why: ClosedConnection) -> None:
        """The server closed a connection."""


@cache
def max_open_connections() -> int:
    """The limit of open files less the reserved ones: `accept` would fail in a loop without a free descriptor."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, soft - RESERVED_DESCRIPTORS))
