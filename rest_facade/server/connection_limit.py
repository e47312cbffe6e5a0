"""How many connections of clients a process may hold, and what it says of those that it ends on its own."""

import resource
from enum import StrEnum
from functools import cache
from typing import Protocol

from rest_facade.rest.errors import Error

SPARED = 96
"""Descriptors that clients never get: of listeners, the log, the database, the store, the event loop, operators."""

MOST, FEWEST = 10_000, 16
"""Connections at most, whatever the system allows (an idle one costs about 10 KB); at least, whatever it does not."""


class ClosedConnection(StrEnum):
    """Why a connection was ended without an answer, or in the middle of one."""

    HEAD = "head"  # the head of a request did not arrive in time
    READER = "reader"  # the client did not read its answer in time
    MANY = "many"  # as many as may be were open


class ProtocolObserver(Protocol):
    """What an application must be for the protocol beneath it to tell what never became a request."""

    def unparsed(self, request_id: str, error: Error) -> None:
        """Note what was answered to something that is not HTTP."""

    def cut(self, why: ClosedConnection) -> None:
        """Note a connection that was ended."""


@cache
def most_connections() -> int:
    """As many as there are descriptors for: `accept` must not run out of them, it would try again without end."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(FEWEST, min(MOST, soft - SPARED))
