"""Distribution of tables over the nodes of a Citus cluster: what each node has, and reads of distributed tables.

Placements are derived from the declared tables: tenant tables are distributed by organization, all others are reference
tables, of which each node has a copy. The database is asked once for each connection when it is opened, and by
readiness checks.

Shards are the tables of one node that have the rows of some organizations. A statement that names the distributed
tables is planned by Citus at each execution. On the node that has the rows of the organization, the same statement over
its shards is an ordinary one, with a plan that the connection keeps. Shards move. So each transaction over shards first
asks whether the node still has them, and its snapshot is older than any later move.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from cachetools import LRUCache
from psycopg.errors import ObjectNotInPrerequisiteState, UndefinedTable
from sqlalchemy import ForeignKeyConstraint, Table

from db.reading.connection import BoundSql, Command, Connection, Row
from db.reading.hosts.host import Host, HostState
from db.reading.transaction import PROPAGATE, PROPAGATED_SETTINGS, SET_ROLE, Transaction, transaction_start
from db.tables.areas import metadata
from db.tables.people import organizations

DISTRIBUTION_COLUMN = "organization_id"

HAS_CATALOG = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
"""A plain server has no such catalog, so that a statement cannot name it."""

PLACED_TABLES = """
SELECT c.relname::text AS name, CASE WHEN p.partmethod = 'h' THEN 'distributed'
                                     WHEN p.partmethod = 'n' AND p.repmodel = 't' THEN 'reference' END AS placement,
       p.colocationid AS colocation
FROM pg_catalog.pg_dist_partition p JOIN pg_catalog.pg_class c ON c.oid = p.logicalrelid
WHERE c.relnamespace = 'public'::regnamespace
ORDER BY c.relname
"""
"""Tables of another kind have no `placement`. Rows of one organization in tables with the same `colocation` are on the
same node."""

MAX_PLACED = 10_000
"""Organizations whose shards are known; the least recently used is asked for again."""

Shards = Mapping[int, Mapping[str, str]]
"""Names of shards by the names of their tables, by the number of the shard of `organizations`."""

SHARD_OF_ORGANIZATION = """
SELECT get_shard_id_for_distribution_column('public.organizations', %(organization_id)s::uuid) AS shard
"""

IS_LOCAL = """EXISTS (
  SELECT FROM pg_catalog.pg_dist_placement
  WHERE shardid = %(shard)s AND shardstate = 1 AND groupid = (SELECT groupid FROM pg_catalog.pg_dist_local_group))
"""
"""Whether the node that is asked has a shard."""

LOCAL_SHARDS = """
SELECT c.relname::text AS name, s.shardid AS id, s.shardminvalue AS first,
       row_security_active(to_regclass(format('public.%%I', c.relname || '_' || s.shardid))) AS is_secured
FROM pg_catalog.pg_dist_placement p JOIN pg_catalog.pg_dist_shard s USING (shardid)
JOIN pg_catalog.pg_class c ON c.oid = s.logicalrelid
WHERE p.groupid = (SELECT groupid FROM pg_catalog.pg_dist_local_group) AND p.shardstate = 1
  AND c.relnamespace = 'public'::regnamespace
"""
"""The shards of a node, by the `name` of their table. `first` says which range of organizations a shard has;
`is_secured`: row-level security is in force on it for the role that reads."""


class Distribution(NamedTuple):
    """How the tables of a database are placed: the rows of PLACED_TABLES."""

    tables: Sequence[Row]

    @property
    def is_distributed(self) -> bool:
        """Whether any table is distributed: then statements must take the way that reaches other nodes."""
        return any(table.placement == "distributed" for table in self.tables)

    @property
    def problem(self) -> str | None:
        """Why requests cannot be answered over these tables; None if they can."""
        if not self.is_distributed:
            return None
        found = {table.name: (table.placement, table.colocation) for table in self.tables}
        _, together = found.get(organizations.name, (None, None))
        copied = [table.name for table in reference_tables()]
        spread = [table.name for table in distributed_tables()]
        wrong = [name for name in copied if found.get(name, (None, None))[0] != "reference"]
        wrong += [name for name in spread if found.get(name) != ("distributed", together)]
        if not wrong:
            return None
        return f"Tables are distributed, but not {', '.join(wrong)} beside them: run orgdata distribute."


def reference_tables() -> list[Table]:
    """The tables that are the same for all organizations, and the keys, which are looked up on any node."""
    return [table for table in metadata.sorted_tables if not table.info.get("tenant")]


def distributed_tables() -> list[Table]:
    """The tables of organizations: `organizations` itself, then each after those that it references."""
    tenant = [table for table in metadata.sorted_tables if table.info.get("tenant")]
    return [organizations, *(table for table in tenant if table is not organizations)]


def keys_to_distributed(table: Table) -> list[ForeignKeyConstraint]:
    """The foreign keys that a reference table cannot have: those to rows that only one node has."""
    keys = [key for key in table.foreign_key_constraints if key.referred_table.info.get("tenant")]
    return sorted(keys, key=lambda key: str(key.name))


async def read_distribution(connection: Connection) -> Distribution:
    """How the tables of the connection's database are placed. Raises psycopg.Error."""
    (((has_catalog,),),) = await connection.exchange([(HAS_CATALOG, {})])
    return Distribution((await connection.exchange([(PLACED_TABLES, {})]))[0] if has_catalog else [])


async def read_shards(connection: Connection) -> Shards:
    """The complete shards of the connection's node. Raises psycopg.Error."""
    _, rows = await connection.exchange([(SET_ROLE, {}), (LOCAL_SHARDS, {})])
    return complete_shards(rows)


def complete_shards(found: Sequence[Row]) -> Shards:
    """The shards of `organizations` beside which every table has a shard, with row-level security in force.

    `found`: rows of LOCAL_SHARDS.
    """
    spread, copied = ({table.name for table in tables} for tables in (distributed_tables(), reference_tables()))
    copies = {each.name: f"{each.name}_{each.id}" for each in found if each.name in copied}
    ranges: dict[str | None, dict[str, str]] = defaultdict(copies.copy)
    for each in found:
        if each.name in spread and each.is_secured:
            ranges[each.first][each.name] = f"{each.name}_{each.id}"
    return {
        each.id: ranges[each.first]
        for each in found
        if each.name == organizations.name and ranges[each.first].keys() == spread | copied
    }


class DistributedReads:
    """Reads of distributed tables: over the shards of the connection's node if it has the rows, else through Citus."""

    def __init__(self) -> None:
        self._shards: LRUCache[Hashable, int] = LRUCache(MAX_PLACED)
        """The number of the shard of `organizations` by tenant, as far as this process knows it."""

    def hosts_without(self, tenant: Hashable, hosts: Sequence[Host]) -> list[Host]:
        """The hosts that do not have the rows of the tenant, while another one has them."""
        shard = self._shards.get(tenant)
        without = [host for host in hosts if shard not in host.shards or host.state is HostState.down]
        return without if len(without) < len(hosts) else []

    async def read(
        self, connection: Connection, transaction: Transaction, column: str, statement_timeout: float
    ) -> list[list[Row]]:
        """The row of the transaction's start, which begins with `column`, and the rows of each statement.

        Raises what the connection raises, and ObjectNotInPrerequisiteState if the rows have moved to another node since
        it was opened.
        """
        tenant, settings = transaction.ticket.tenant, transaction.settings
        shard = self._shards.get(tenant)
        if shard is not None and (tables := connection.host.shards.get(shard)) is not None:
            start = transaction_start(transaction.expression, statement_timeout, f"{column}, {IS_LOCAL} AS is_local")
            on_shard = [(statement.on_tables(tables), values) for statement, values in transaction.statements]
            with suppress(UndefinedTable):
                found = await connection.exchange([(start, {**settings, "shard": shard}), *on_shard])
                if found[0][0].is_local:
                    return found
            # Shards may have been divided, too.
            self._shards.clear()
            raise ObjectNotInPrerequisiteState("The rows of the organization moved to another node.")
        # A value stands in a command: it must not need quotes, like a UUID, letters and digits.
        local = PROPAGATED_SETTINGS | {f"app.{name}": f"'{value}'" for name, value in settings.items()}
        queries: list[BoundSql | Command] = [
            b"BEGIN READ ONLY",
            (transaction_start(PROPAGATE, statement_timeout, column, is_block=True), {}),
            *(f"SET LOCAL {name} = {value}".encode() for name, value in local.items()),
            *((statement.sql, values) for statement, values in transaction.statements),
        ]
        asks_for_shard = tenant is not None and shard is None
        if asks_for_shard:
            queries.append((SHARD_OF_ORGANIZATION, settings))
        found = await connection.exchange(queries)
        if asks_for_shard:
            ((self._shards[tenant],),) = found.pop()
        return found
