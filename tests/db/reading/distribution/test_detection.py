"""Detection of distributed tables, as far as a plain server shows it; `tests/citus` has the rest."""

from db.reading.connection import Connection
from db.reading.distribution.detection import Distribution, read_distribution
from db.reading.distribution.placements import Placement
from tests.db.reading.distribution.test_placements import placed


async def test_plain_server_has_no_distributed_tables(owner_url: str) -> None:
    async with await Connection.connect(owner_url, autocommit=True) as connection:
        found = await read_distribution(connection)
    assert found == Distribution([])
    assert (found.is_distributed, found.problem) == (False, None)


def test_complete_distribution_has_no_problem() -> None:
    found = Distribution(placed())
    assert (found.is_distributed, found.problem) == (True, None)


def test_tables_left_out_are_named() -> None:
    found = Distribution(placed(api_keys=Placement("api_keys", None, 0), teams=Placement("teams", None, 0)))
    assert found.is_distributed
    assert found.problem == "Tables are distributed, but not api_keys, teams beside them: run orgdata distribute."


def test_reference_tables_alone_are_no_distribution() -> None:
    found = Distribution([Placement("theirs", "reference", 1)])
    assert (found.is_distributed, found.problem) == (False, None)
