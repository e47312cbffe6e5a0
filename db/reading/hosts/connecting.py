"""One attempt to connect to one host, with its outcome in the host's record; and the question what the host is."""

import asyncio
from collections.abc import Mapping
from typing import Any

from psycopg import OperationalError
from psycopg.rows import namedtuple_row

from db.reading.connection import Connection
from db.reading.data_as_of import BLIND, IS_BLIND, LAG_SECONDS
from db.reading.distribution.placements import read_distribution
from db.reading.distribution.shards import read_shards
from db.reading.hosts.host import Host
from db.reading.transaction import SET_ROLE

SHORTEST_ATTEMPT = 0.2
"""Seconds. A host that did not answer for less than this is not taken to be down."""

SESSION_STATE = f"""
SELECT pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only')::bool AS is_read_only,
  {LAG_SECONDS} AS lag_seconds,
  {IS_BLIND} AS is_blind
"""


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
            await ask_session_state(connection, host)
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


async def ask_session_state(connection: Connection, host: Host) -> None:
    """Record that the host answered, and what it is now: a standby may have been promoted."""
    (((row,),)) = await connection.read([(SESSION_STATE, {})])
    host.answered(is_standby=row.is_standby, is_read_only=row.is_read_only, warning=BLIND if row.is_blind else None)
    host.lag_seconds = row.lag_seconds


def in_words(error: Exception) -> str:
    """The cause of an error of libpq on one line, without its preamble, which names the host again."""
    first = str(error).strip().partition("\n")[0]
    return first.rpartition(" failed: ")[2].strip() or "the connection failed"
