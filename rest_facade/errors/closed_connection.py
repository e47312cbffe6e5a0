"""Why the server closes a connection without an answer, and the interface that reports it to the application."""

import asyncio
from enum import StrEnum
from typing import Protocol

from rest_facade.errors.envelope import Error


class ClosedConnection(StrEnum):
    """Why a connection ended without an answer, or in the middle of one. Values are metric labels."""

    SLOW_HEAD = "head"  # the head of a request did not arrive in time
    SLOW_BODY = "body"  # the body of a request did not arrive in time (GraphQL and MCP)
    SLOW_READER = "reader"  # the client did not read its answer in time
    TOO_MANY = "many"  # the limit of open connections was reached
    CLIENT_LEFT = "left"  # the client closed it, and its request was cancelled


CLIENT_LEFT_STATUS = 499
"""The status of such a request in the log, which no client gets: that of nginx."""


def has_client_left(cancelled: asyncio.CancelledError) -> bool:
    """Whether a request was cancelled because its client left, and not by the shutdown."""
    return cancelled.args == (ClosedConnection.CLIENT_LEFT,)


class ProtocolObserver(Protocol):
    """What the HTTP protocol reports to the application: events that never reach it as a request."""

    def on_unparsed(self, request_id: str, error: Error) -> None:
        """Bytes that are not HTTP were answered with `error`."""

    def on_closed(self, why: ClosedConnection) -> None:
        """The server closed a connection."""
