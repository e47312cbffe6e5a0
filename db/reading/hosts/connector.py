"""Opens a connection to one host. The outcome, and what the host is, stay in the host's record."""

import asyncio
from collections.abc import Mapping
from typing import Any

from psycopg import OperationalError
from psycopg.rows import namedtuple_row

from db.reading.connection import Connection
from db.reading.data_as_of import BLIND, IS_BLIND, LAG_SECONDS
from db.reading.hosts.distribution import read_distribution, read_shards
from db.reading.hosts.host import Host

SHORTEST_ATTEMPT = 0.2
"""Seconds. A host that did not answer for less than this is not taken to be down."""

SESSION_STATE = f"""
SELECT pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only')::bool AS is_read_only,
  {LAG_SECONDS} AS lag_seconds,
  {IS_BLIND} AS is_blind
"""


async def connect_to(host: Host, parameters: Mapping[str, Any], seconds: float) -> Connection:
    """A connection to the host, which prepares no statements.

    Raises TimeoutError if the host does not answer within `seconds`, and OperationalError if it can't be reached. The
    text says why, without the name of the host.
    """
    connection: Connection | None = None
    try:
        async with asyncio.timeout(seconds):
            connection = await Connection.connect(
                **{**parameters, "client_encoding": "utf8"},
                autocommit=True,
                prepare_threshold=None,
                row_factory=namedtuple_row,
                application_name="orgdata",
            )
            connection.host = host
            host.is_distributed = (await read_distribution(connection)).is_distributed
            host.shards = await read_shards(connection) if host.is_distributed else {}
            is_read_only = connection.pgconn.parameter_status(b"default_transaction_read_only")
            if connection.is_primary and is_read_only is not None:
                # PostgreSQL reports both when a session starts. A pooler may not.
                host.answered(is_standby=False, is_read_only=is_read_only == b"on")
            else:
                await ask_session_state(connection)
    except BaseException as error:
        if connection is not None:
            connection.finish()
        if isinstance(error, TimeoutError):
            reason = f"no answer within {max(seconds, 0):.1f} s"
            if seconds >= SHORTEST_ATTEMPT:
                host.failed(reason)
            # The last attempt before a deadline is short: what an earlier one found is the cause.
            raise TimeoutError(host.last_error or reason) from None
        if isinstance(error, OperationalError):
            # One line, without libpq's preamble, which names the host again.
            first = str(error).strip().partition("\n")[0]
            reason = first.rpartition(" failed: ")[2].strip() or "the connection failed"
            host.failed(reason)
            raise OperationalError(reason) from None
        raise
    return connection


async def ask_session_state(connection: Connection) -> None:
    """Record that the host answered, and what it is now: a standby may have been promoted."""
    host = connection.host
    (((row,),)) = await connection.exchange([(SESSION_STATE, {})])
    host.answered(is_standby=row.is_standby, is_read_only=row.is_read_only, warning=BLIND if row.is_blind else None)
    host.lag_seconds = row.lag_seconds
