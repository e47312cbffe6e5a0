"""Shards of a node: which organizations can be read without Citus. `tests/citus` reads them.

Covers `db/reading/hosts/distribution.py`.
"""

from typing import NamedTuple

import pytest

from db.reading.hosts.distribution import complete_shards, distributed_tables, reference_tables


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


@pytest.mark.parametrize("lost", [0, 5])
def test_shard_without_a_table_is_not_read(lost: int) -> None:
    whole = shard("-5", 100)
    assert complete_shards([*COPIES, *whole[:lost], *whole[lost + 1 :]]) == {}


@pytest.mark.parametrize("bare", [0, 5])
def test_shard_without_row_level_security_is_not_read(bare: int) -> None:
    whole = shard("-5", 100)
    whole[bare] = whole[bare]._replace(is_secured=False)
    assert complete_shards([*COPIES, *whole]) == {}
