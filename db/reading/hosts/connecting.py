"""One attempt to connect to one host, with its outcome in the host's record."""

import asyncio
from collections.abc import Mapping
from typing import Any

from psycopg import OperationalError
from psycopg.rows import namedtuple_row

from db.reading.connection import Connection
from db.reading.distribution.detection import read_distribution
from db.reading.distribution.shards import read_shards
from db.reading.hosts.host import Host
from db.reading.hosts.session_target import learn_session_state
from db.reading.transaction import SET_ROLE

SHORTEST_ATTEMPT = 0.2
"""Seconds. A host that did not answer for less than this is not taken to be down."""


class NotConnected(OperationalError):
    """A host could not be reached; the text says why, without the name of the host."""


class NotAnswering(NotConnected):
    """A host accepted the attempt, or did not refuse it, and then sent nothing in time."""


async def connect_to(
    host: Host, parameters: Mapping[str, Any], deadline: float, *, prepare_threshold: int | None = None
) -> Connection:
    """A connection to the host, opened until `deadline` (the event loop's clock). Raises NotConnected."""
    loop = asyncio.get_running_loop()
    seconds = deadline - loop.time()
    connection: Connection | None = None
    try:
        async with asyncio.timeout_at(deadline):
            connection = await Connection.connect(
                **{**parameters, "client_encoding": "utf8"},
                autocommit=True,
                prepare_threshold=prepare_threshold,
                row_factory=namedtuple_row,
                application_name="orgdata",
            )
            connection.is_distributed = (await read_distribution(connection)).is_distributed
            if connection.is_distributed:
                connection.shards = host.shards = await read_shards(connection, SET_ROLE)
            await learn_session_state(connection, host)
    except BaseException as error:
        if connection is not None:
            connection.finish()
        # The caller's own timeout may have the same deadline, and cancel this one first.
        if isinstance(error, TimeoutError) or (isinstance(error, asyncio.CancelledError) and loop.time() >= deadline):
            reason = f"no answer within {max(seconds, 0):.1f} s"
            if seconds >= SHORTEST_ATTEMPT:
                host.failed(reason)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise NotAnswering(reason) from None
        if isinstance(error, OperationalError):
            reason = in_words(error)
            host.failed(reason)
            raise NotConnected(reason) from None
        raise
    connection.host = host
    return connection


def in_words(error: Exception) -> str:
    """The cause of an error of libpq on one line, without its preamble, which names the host again."""
    first = str(error).strip().partition("\n")[0]
    return first.rpartition(" failed: ")[2].strip() or "the connection failed"
