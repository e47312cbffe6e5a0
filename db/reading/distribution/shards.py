"""Shards: the tables of one node of a Citus cluster that have the rows of some organizations.

A statement that names the distributed tables is planned by Citus at each execution. On the node that has the rows of
the organization, the same statement over its shards is an ordinary one, with a plan that the connection keeps. Shards
move. So each transaction over shards first asks whether the node still has them, and its snapshot is older than any
later move.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from db.reading.connection import Connection, Row
from db.reading.distribution.placements import distributed_tables, reference_tables
from db.tables.people import organizations

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


async def read_shards(connection: Connection, start: str) -> Shards:
    """The complete shards of the connection's node. Raises psycopg.Error. `start`: SQL that sets the role."""
    (rows,) = await connection.read([(start, {}), (LOCAL_SHARDS, {})], without=1)
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
