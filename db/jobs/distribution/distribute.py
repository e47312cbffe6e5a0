"""Distribution of the tables over a Citus cluster, as their owner, who need not be a superuser.

All steps are one transaction. What is placed already is left as it is, so that a second run changes nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, text

from db.admin.migrate import FOR_CITUS, require_head
from db.admin.triggers.declared import ensure_triggers
from db.errors import OperatorError
from db.reading.hosts.distribution import (
    DISTRIBUTION_COLUMN,
    HAS_CATALOG,
    PLACED_TABLES,
    Distribution,
    distributed_tables,
    keys_to_distributed,
    reference_tables,
)
from db.tables.people import organizations

# Otherwise a new reference table takes along every local table that a chain of foreign keys leads to.
LEAVE_LOCAL_TABLES = "SET LOCAL citus.enable_local_reference_table_foreign_keys = off"

NO_CITUS = (
    "This database is not in a Citus cluster. Let a superuser create the extension on each node, and add the workers"
    " on the coordinator; docs/citus.md has the commands."
)

FORCED = """
SELECT relname::text FROM pg_catalog.pg_class
WHERE relnamespace = 'public'::regnamespace AND relforcerowsecurity AND relname = ANY (:names) ORDER BY relname
"""


class Step(NamedTuple):
    """One thing to do: in words, and the commands."""

    sentence: str
    commands: Sequence[str]


def read_placements(connection: Connection) -> Distribution:
    """How the tables are placed now. Raises OperatorError without the extension."""
    if not connection.scalar(text(HAS_CATALOG)):
        raise OperatorError(NO_CITUS)
    return Distribution(connection.execute(text(PLACED_TABLES)).all())


def plan(connection: Connection) -> Sequence[Step]:
    """The steps that are left; none if everything is distributed. Raises OperatorError."""
    found = read_placements(connection)
    require_head(connection)
    if not connection.scalar(text("SELECT count(*) FROM pg_catalog.pg_dist_node WHERE isactive AND shouldhaveshards")):
        raise OperatorError("The cluster has no node for the rows: add a worker with citus_add_node() first.")
    return list(_steps({table.name: table.placement for table in found.tables}))


def _steps(placed: Mapping[str, str | None]) -> Iterator[Step]:
    """The steps for the tables that are not placed yet. `placed`: the placement of others by name."""
    for table in reference_tables():
        if placed.get(table.name) == "reference":
            continue
        commands = [
            f"ALTER TABLE {table.name} DROP CONSTRAINT IF EXISTS {key.name}" for key in keys_to_distributed(table)
        ]
        if placed.get(table.name) is not None:
            raise OperatorError(f"{table.name} is distributed already, but each node needs a copy of it.")
        commands.append(f"SELECT create_reference_table('public.{table.name}')")
        yield Step(f"{table.name}: a copy on each node", commands)
    for table in distributed_tables():
        if placed.get(table.name) == "distributed":
            continue
        if placed.get(table.name) is not None:
            raise OperatorError(f"{table.name} is a reference table already, but its rows belong to organizations.")
        together = "none" if table is organizations else f"public.{organizations.name}"
        arguments = f"'public.{table.name}', '{DISTRIBUTION_COLUMN}', colocate_with => '{together}'"
        yield Step(f"{table.name}: by {DISTRIBUTION_COLUMN}", [f"SELECT create_distributed_table({arguments})"])


def distribute(connection: Connection, steps: Sequence[Step], step: Callable[[str], object]) -> None:
    """Take the steps of `plan` in the caller's transaction. Raises OperatorError.

    `step` is called with the sentence of each step before it is taken. The tables are locked until the end.
    """
    for command in (*FOR_CITUS, LEAVE_LOCAL_TABLES):
        connection.execute(text(command))
    ensure_triggers(connection, cascades=False)
    names = [table.name for table in distributed_tables()] + [table.name for table in reference_tables()]
    forced = connection.scalars(text(FORCED), {"names": names}).all()
    # The rows of all organizations move. Row-level security is in force again before anyone else sees the tables.
    for table in forced:
        connection.execute(text(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY"))
    for each in steps:
        step(each.sentence)
        for command in each.commands:
            connection.execute(text(command))
    for table in forced:
        connection.execute(text(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"))
    if (problem := read_placements(connection).problem) is not None:
        raise OperatorError(problem)
