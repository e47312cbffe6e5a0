"""Engine of the owner of the tables: for migrations, keys, quotas, imports and seeding, not for requests."""

from functools import partial

import psycopg
from sqlalchemy import Engine, NullPool, create_engine

from db.reading.hosts.address import SessionTarget, parse_address

CONNECT_TIMEOUT = 5
"""Seconds for each of several hosts, unless the address has `connect_timeout`. psycopg's default is two minutes."""


def connect(url: str) -> Engine:
    """An engine without a pool. Each connection logs in anew. Raises AddressError.

    Of an address with several hosts, or with `target_session_attrs`, the primary is used: commands write, and read what
    was just written.
    """
    address = parse_address(url)
    if address.names_several or address.target is not SessionTarget.any:
        conninfo = address.conninfo(SessionTarget.primary, connect_timeout=CONNECT_TIMEOUT)
    else:
        conninfo = url
    return create_engine("postgresql+psycopg://", creator=partial(psycopg.connect, conninfo), poolclass=NullPool)
