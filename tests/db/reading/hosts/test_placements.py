"""Placements of tables: which are distributed, which are copied to each node, what is wrong, and whole shards.

Covers `db/reading/hosts/distribution.py`.
"""

from typing import NamedTuple

import pytest

from db.reading.connection import Connection
from db.reading.hosts import distribution
from db.reading.hosts.distribution import Distribution, complete_shards, distributed_tables, reference_tables
from tests.db.reading.hosts.placements import Placement, placed


def test_tenant_tables_are_distributed_organizations_first() -> None:
    names = [table.name for table in distributed_tables()]
    assert names[0] == "organizations"
    assert {"members", "timesheets", "quota_overrides"} <= set(names)
    assert len(names) == len(set(names))


def test_referenced_tables_come_before_those_that_reference_them() -> None:
    names = [table.name for table in distributed_tables()]
    for table in distributed_tables():
        for key in table.foreign_keys:
            if key.column.table.name in names:
                assert names.index(key.column.table.name) <= names.index(table.name)


def test_keys_and_lists_are_reference_tables() -> None:
    lists = {"countries", "currencies", "time_zones"}
    assert {table.name for table in reference_tables()} == {"api_keys", "trusted_documents", *lists}


async def test_plain_server_has_no_distributed_tables(owner_url: str) -> None:
    async with await Connection.connect(owner_url, autocommit=True) as connection:
        found = await distribution.read_distribution(connection)
    assert found == Distribution([])
    assert (found.is_distributed, found.problem) == (False, None)


def test_complete_distribution_has_no_problem() -> None:
    found = Distribution([*placed(), Placement("theirs", None, 0)])
    assert (found.is_distributed, found.problem) == (True, None)


def test_wrong_kind_or_colocation_is_named() -> None:
    teams, members = Placement("teams", "distributed", 7), Placement("members", "reference", 6)
    found = placed(api_keys=Placement("api_keys", None, 0), teams=teams, members=members)
    words = "Tables are distributed, but not api_keys, members, teams beside them: run orgdata distribute."
    assert Distribution(found).problem == words


def test_tables_left_out_are_named() -> None:
    found = Distribution([Placement("organizations", "distributed", 6)])
    assert str(found.problem).count(",") == len(distributed_tables()) + len(reference_tables()) - 1


def test_reference_tables_alone_are_no_distribution() -> None:
    found = Distribution([Placement("theirs", "reference", 1)])
    assert (found.is_distributed, found.problem) == (False, None)


class LocalShard(NamedTuple):
    """A row of LOCAL_SHARDS."""

    name: str
    id: int
    first: str | None
    is_secured: bool


COPIES = [LocalShard(table.name, 7, None, True) for table in reference_tables()]


def shard(first: str, number: int) -> list[LocalShard]:
    """A shard of each distributed table, all of one range of organizations."""
    return [LocalShard(table.name, number + at, first, True) for at, table in enumerate(distributed_tables())]


def test_complete_shards_have_a_name_for_each_table() -> None:
    found = complete_shards([*COPIES, *shard("-5", 100), *shard("0", 200)])
    assert list(found) == [100, 200]
    assert (found[100]["organizations"], found[200]["organizations"]) == ("organizations_100", "organizations_200")
    assert found[100]["api_keys"] == found[200]["api_keys"] == "api_keys_7"
    assert len(found[100]) == len(distributed_tables()) + len(reference_tables())


@pytest.mark.parametrize("place", [0, 5])
def test_shard_without_a_table_or_row_level_security_is_not_read(place: int) -> None:
    whole = shard("-5", 100)
    assert complete_shards([*COPIES, *whole[:place], *whole[place + 1 :]]) == {}
    whole[place] = whole[place]._replace(is_secured=False)
    assert complete_shards([*COPIES, *whole]) == {}
