"""Placements of tables in a Citus cluster: what is distributed by organization, and what each node has a copy of.

Derived from the declared tables: tenant tables are distributed, all others are reference tables.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ForeignKeyConstraint, Table

from db.tables.areas import AREAS
from db.tables.columns import metadata
from db.tables.people import organizations

assert AREAS, "all tables are declared"

DISTRIBUTION_COLUMN = "organization_id"


class Placement(NamedTuple):
    """A table of the database: `placement` is `distributed`, `reference` or, for another kind, None.

    Rows of tables with the same `colocation` that are of one organization are on the same node.
    """

    name: str
    placement: str | None
    colocation: int


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


def wrong_tables(placed: Sequence[Placement]) -> list[str]:
    """The declared tables that are not placed as the service needs them."""
    found = {table.name: table for table in placed}
    together = found[organizations.name].colocation if organizations.name in found else None
    copied = [table.name for table in reference_tables()]
    spread = [table.name for table in distributed_tables()]
    return [
        *(name for name in copied if name not in found or found[name].placement != "reference"),
        *(name for name in spread if name not in found or found[name][1:] != ("distributed", together)),
    ]
