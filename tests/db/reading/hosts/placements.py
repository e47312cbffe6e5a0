"""Rows of PLACED_TABLES, as a cluster returns them."""

from typing import NamedTuple

import pytest

from db.reading.connection import Connection
from db.reading.hosts.distribution import Shards, distributed_tables, reference_tables


class Placement(NamedTuple):
    """A row of PLACED_TABLES."""

    name: str
    placement: str | None
    colocation: int


def placed(**others: Placement) -> list[Placement]:
    """All tables as they should be, except for those given."""
    right = {table.name: Placement(table.name, "distributed", 6) for table in distributed_tables()}
    right |= {table.name: Placement(table.name, "reference", 5) for table in reference_tables()}
    return list((right | others).values())


def without_shards(patch: pytest.MonkeyPatch) -> None:
    """Let no node have shards, as the coordinator of a cluster has none. A plain server cannot be asked for them."""

    async def found(connection: Connection) -> Shards:
        return {}

    patch.setattr("db.reading.hosts.connector.read_shards", found)
    patch.setattr("db.reading.hosts.distribution.SHARD_OF_ORGANIZATION", "SELECT 1 AS shard")
