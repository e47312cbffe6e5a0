"""Reads of distributed tables: over the shards of the connection's node if it has the rows, else through Citus."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from cachetools import LRUCache
from psycopg.errors import ObjectNotInPrerequisiteState, UndefinedTable

from db.reading.connection import Connection, Row
from db.reading.distribution.shards import SHARD_OF_ORGANIZATION
from db.reading.hosts.host import Host, HostState
from db.reading.statement import Statement
from db.reading.transaction import TransactionStart

MAX_PLACED = 10_000
"""Organizations whose shards are known; the least recently used is asked for again."""


class DistributedReads:
    """Reads of distributed tables, with what this process knows of the places of organizations."""

    def __init__(self) -> None:
        self._shards: LRUCache[Hashable, int] = LRUCache(MAX_PLACED)
        """The number of the shard of `organizations` by tenant."""

    def hosts_without(self, tenant: Hashable, hosts: Sequence[Host]) -> list[Host]:
        """The hosts that do not have the rows of the tenant, while another one has them."""
        shard = self._shards.get(tenant)
        without = [host for host in hosts if shard not in host.shards or host.state is HostState.down]
        return without if len(without) < len(hosts) else []

    async def read(
        self,
        connection: Connection,
        beginning: tuple[TransactionStart, Mapping[str, str]],
        statements: Iterable[tuple[Statement, Mapping[str, Any]]],
        tenant: Hashable,
    ) -> list[list[Row]]:
        """The rows of each statement. `beginning`: what a transaction begins with, and the values of its settings.

        `tenant` is None for reads of no organization. Raises what the connection raises, and
        ObjectNotInPrerequisiteState if the rows have moved to another node since it was opened.
        """
        start, settings = beginning
        shard = self._shards.get(tenant)
        if shard is not None and (tables := connection.shards.get(shard)) is not None:
            queries = start.shard_queries(settings, shard, is_primary=connection.is_primary)
            queries += [(statement.on_tables(tables), values) for statement, values in statements]
            with suppress(UndefinedTable):
                rows = await connection.read(queries, without=1)
                if connection.start_value is not None:
                    return rows
            # Shards may have been divided, too.
            self._shards.clear()
            raise ObjectNotInPrerequisiteState("The rows of the organization moved to another node.")
        queries = start.block_queries(settings, is_primary=connection.is_primary)
        queries += [(statement.sql, values) for statement, values in statements]
        # Commands return no rows: one statement is among them.
        if tenant is None or shard is not None:
            return await connection.read(queries, without=1, commit=True)
        *rows, ((number,),) = await connection.read(
            [*queries, (SHARD_OF_ORGANIZATION, settings)], without=1, commit=True
        )
        self._shards[tenant] = number
        return rows
