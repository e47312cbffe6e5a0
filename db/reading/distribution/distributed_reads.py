"""Reads of distributed tables: over the shards of the connection's node if it has the rows, else through Citus."""

from collections.abc import Hashable, Sequence
from contextlib import suppress

from cachetools import LRUCache
from psycopg.errors import ObjectNotInPrerequisiteState, UndefinedTable

from db.reading.connection import BoundSql, Command, Connection, Row
from db.reading.distribution.shards import IS_LOCAL, SHARD_OF_ORGANIZATION
from db.reading.hosts.host import Host, HostState
from db.reading.transaction import PROPAGATE, PROPAGATED_SETTINGS, Transaction, transaction_start

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

    async def read(self, connection: Connection, transaction: Transaction, statement_timeout: float) -> list[list[Row]]:
        """The rows of each statement. Raises what the connection raises.

        Raises ObjectNotInPrerequisiteState if the rows have moved to another node since the connection was opened.
        """
        tenant, settings = transaction.ticket.tenant, transaction.settings
        moment = transaction.moments[connection.is_primary]
        shard = self._shards.get(tenant)
        if shard is not None and (tables := connection.shards.get(shard)) is not None:
            # Null says that the node does not have the shard.
            moment = f"CASE WHEN {IS_LOCAL} THEN {moment} END"
            start = transaction_start(transaction.expression, statement_timeout, moment)
            on_shard = [(statement.on_tables(tables), values) for statement, values in transaction.statements]
            with suppress(UndefinedTable):
                rows = await connection.read([(start, {**settings, "shard": shard}), *on_shard], without=1)
                if connection.start_value is not None:
                    return rows
            # Shards may have been divided, too.
            self._shards.clear()
            raise ObjectNotInPrerequisiteState("The rows of the organization moved to another node.")
        # A value stands in a command: it must not need quotes, like a UUID, letters and digits.
        local = PROPAGATED_SETTINGS | {f"app.{name}": f"'{value}'" for name, value in settings.items()}
        queries: list[BoundSql | Command] = [
            b"BEGIN READ ONLY",
            (transaction_start(PROPAGATE, statement_timeout, moment, is_block=True), {}),
            *(f"SET LOCAL {name} = {value}".encode() for name, value in local.items()),
            *((statement.sql, values) for statement, values in transaction.statements),
        ]
        asks_for_shard = tenant is not None and shard is None
        if asks_for_shard:
            queries.append((SHARD_OF_ORGANIZATION, settings))
        # Commands return no rows: one statement is among them.
        rows = await connection.read(queries, without=1, commit=True)
        if asks_for_shard:
            ((self._shards[tenant],),) = rows.pop()
        return rows
