"""Which hosts an address means: libpq's `target_session_attrs`, applied by us.

libpq tries hosts in the order of the address, and psycopg gives each of them libpq's timeout. Here the order depends on
what is known of the hosts (`db.reading.hosts.hosts`), so the decision whether a server is meant is made here, too.
"""

from db.reading.connection import Connection
from db.reading.data_as_of import BLIND, IS_BLIND, LAG_SECONDS
from db.reading.hosts.address import SessionTarget
from db.reading.hosts.host import Host

SESSION_STATE = f"""
SELECT pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only')::bool AS is_read_only,
  {LAG_SECONDS} AS lag_seconds,
  {IS_BLIND} AS is_blind
"""

_IS_ON = {b"on": True, b"off": False}


def suits(target: SessionTarget, host: Host) -> bool | None:
    """Whether the host is one that the address means; None when that is not known yet.

    `prefer-standby` means every host: `is_second_choice` tells them apart.
    """
    match target:
        case SessionTarget.primary:
            return None if host.is_standby is None else not host.is_standby
        case SessionTarget.standby:
            return host.is_standby
        case SessionTarget.read_write:
            return None if host.is_read_only is None else not host.is_read_only
        case SessionTarget.read_only:
            return host.is_read_only
        case _:
            return True


def is_second_choice(target: SessionTarget, host: Host) -> bool:
    """Whether the host is used only while no better one answers: a primary for `prefer-standby`."""
    return target is SessionTarget.prefer_standby and host.is_standby is False


async def learn_session_state(connection: Connection, host: Host) -> None:
    """Record that the host answered, and what it is.

    PostgreSQL 14 and newer report both facts when a session starts. A pooler may not; then, and for the lag of a
    standby, a query asks.
    """
    in_recovery = _IS_ON.get(connection.pgconn.parameter_status(b"in_hot_standby") or b"")
    read_only = _IS_ON.get(connection.pgconn.parameter_status(b"default_transaction_read_only") or b"")
    if in_recovery is not False or read_only is None:
        await ask_session_state(connection, host)
    else:
        host.answered(is_standby=False, is_read_only=read_only)


async def ask_session_state(connection: Connection, host: Host) -> None:
    """The same by a query, for a connection that was opened earlier: a standby may have been promoted since."""
    (((row,),)) = await connection.read([(SESSION_STATE, {})])
    host.answered(is_standby=row.is_standby, is_read_only=row.is_read_only, warning=BLIND if row.is_blind else None)
    host.lag_seconds = row.lag_seconds


def refusal(target: SessionTarget, host: Host) -> str:
    """Why a host that answers is not used."""
    kind = "standby" if host.is_standby else "primary"
    if target in (SessionTarget.read_write, SessionTarget.read_only):
        kind = "read-only" if host.is_read_only else "read-write"
    return f"is {kind}, and target_session_attrs is {target.value}"
