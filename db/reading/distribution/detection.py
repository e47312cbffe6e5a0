"""Detection of distributed tables: a Citus cluster keeps each organization on one of its nodes, a plain server all.

Asked once for each connection when it is opened, and by readiness checks.
"""

from collections.abc import Sequence
from typing import NamedTuple

from db.admin.errors import OperatorError
from db.reading.connection import Connection, Row
from db.reading.distribution.placements import Placement, wrong_tables

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


class DistributionError(OperatorError):
    """Tables are not distributed as the service needs them; the message says what to do."""


class Distribution(NamedTuple):
    """How the tables of a database are placed."""

    tables: Sequence[Placement]

    @property
    def is_distributed(self) -> bool:
        """Whether any table is distributed: then statements must take the way that reaches other nodes."""
        return any(table.placement == "distributed" for table in self.tables)

    @property
    def problem(self) -> str | None:
        """Why requests cannot be answered over these tables; None if they can."""
        wrong = wrong_tables(self.tables)
        if not self.is_distributed or not wrong:
            return None
        return f"Tables are distributed, but not {', '.join(wrong)} beside them: run orgdata distribute."


def placements(rows: Sequence[Row]) -> Distribution:
    """The rows of PLACED_TABLES as values."""
    return Distribution([Placement(*row) for row in rows])


async def read_distribution(connection: Connection) -> Distribution:
    """How the tables of the connection's database are placed. Raises psycopg.Error."""
    (((has_catalog,),),) = await connection.read([(HAS_CATALOG, {})])
    return placements((await connection.read([(PLACED_TABLES, {})]))[0]) if has_catalog else Distribution([])
