"""Where keys and trusted documents are read: at the primary, and from a replica while the primary does not answer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from psycopg import OperationalError

from db.reading.database import Database
from db.reading.pool import PoolTimeout

Found = TypeVar("Found")

PRIMARY_SECONDS = 1.0
"""Seconds that a lookup waits for the primary: the replica must answer within the deadline of the request, too."""


@dataclass(frozen=True)
class KeyDatabases:
    """The database of keys, and its primary where the service reads replicas.

    A replica may lack a new key, and still have a revoked one: without bound, if it lags. So the primary decides.
    """

    database: Database
    primary: Database | None = None

    async def read(self, lookup: Callable[[Database], Awaitable[Found | None]]) -> Found | None:
        """What `lookup` finds. Raises what it raises.

        If the primary does not answer and the replica finds nothing, the error of the primary is raised.
        """
        if self.primary is None:
            return await lookup(self.database)
        try:
            async with asyncio.timeout(PRIMARY_SECONDS):
                return await lookup(self.primary)
        except (OperationalError, PoolTimeout, TimeoutError):
            found = await lookup(self.database)
            if found is None:
                raise
            return found
