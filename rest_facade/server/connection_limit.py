"""How many client connections a process may hold open."""

import resource
from functools import cache
from typing import NamedTuple

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
