"""Placements of tables in a Citus cluster: what is distributed by organization, and what each node has a copy of.

Derived from the declared tables: tenant tables are distributed, all others are reference tables. The database is asked
once for each connection when it is opened, and by readiness checks.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ForeignKeyConstraint, Table

from db.admin.errors import OperatorError
from db.reading.connection import Connection, Row
from db.tables.areas import AREAS
from db.tables.columns import metadata
from db.tables.people import organizations

assert AREAS, "all tables are declared"

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


class DistributionError(OperatorError):
    """Tables are not distributed as the service needs them; the message says what to do."""


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
    (((has_catalog,),),) = await connection.read([(HAS_CATALOG, {})])
    return Distribution((await connection.read([(PLACED_TABLES, {})]))[0] if has_catalog else [])
