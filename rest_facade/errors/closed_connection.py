"""Why the server closes a connection without an answer, and the interface that reports it to the application."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from rest_facade.errors.envelope import Error


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
