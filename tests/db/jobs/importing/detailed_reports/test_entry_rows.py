"""Ids of imported entries: made by what identifies an entry, the same in each import."""

from uuid import RFC_4122, UUID

import pytest
from sqlalchemy import Connection, Table

from db.admin.organizations import uuid7
from db.jobs.importing.detailed_reports.entry_rows import entry_query
from db.jobs.importing.detailed_reports.entry_stage import CREATE
from db.jobs.importing.statements import run
from db.tables.timesheets import break_times, timesheets

START, HOUR, DAY = 1_772_438_400, 3600, 86_400
ANN, BOB = 0, 1
TIMER, PAUSE, MANUAL = 0, 1, 2


def ids(owner: Connection, *entries: tuple[int, int, int, int], table: Table = timesheets) -> list[str]:
    """The ids of entries: person, work, start of the entry, start of the piece."""
    query = entry_query(table, ["report.csv"], f"{UUID(int=1)}/toggl", (), has_times=True, replaced_in=None)
    with owner.begin():
        run(owner, CREATE)
        run(owner, f"INSERT INTO import_people VALUES ({ANN}, '{UUID(int=2)}'), ({BOB}, '{UUID(int=3)}')")
        run(
            owner,
            f"INSERT INTO import_work VALUES ({TIMER}, false, false), ({PAUSE}, true, false), ({MANUAL}, false, true)",
        )
        for line, (person, work, known_at, start) in enumerate(entries):
            values = f"{line}, 0, {line}, {person}, {work}, {known_at}, {start}, {start + HOUR}"
            run(owner, f"INSERT INTO import_entries VALUES ({values})")
        return [str(row.id) for row in run(owner, f"SELECT * FROM ({query.sql}) q ORDER BY row")]


def test_ids_of_entries_are_those_of_earlier_versions(owner: Connection) -> None:
    entries = (ANN, TIMER, START, START), (ANN, TIMER, START, START), (BOB, TIMER, START, START)
    assert ids(owner, *entries) == [
        "019cad8f-ac00-7b92-b83d-ab64b9e399b7",
        "019cad8f-ac00-7a4f-9672-df9d75228c32",
        "019cad8f-ac00-7e6b-bdf4-95c01343514a",
    ]
    later = START + 3 * DAY
    assert ids(owner, (ANN, TIMER, later, later), (ANN, TIMER, later - 1, later + DAY))[0] == (
        "019cbd02-c000-7181-b7ee-2d2763052943"
    )
    assert ids(owner, (ANN, TIMER, later, later + DAY)) == ["019cc229-1c00-7181-b7ee-2d2763052943"]


@pytest.mark.parametrize(
    ("table", "work", "start", "id"),
    [
        (break_times, PAUSE, START, "019cad8f-ac00-79d2-aa3e-e063d1b8bfb0"),
        # An entry without times of day keeps its id where those before it grow.
        (timesheets, MANUAL, START + HOUR, "019cad8f-ac00-7b92-b83d-ab64b9e399b7"),
    ],
)
def test_table_and_day_identify_an_entry(owner: Connection, table: Table, work: int, start: int, id: str) -> None:
    assert ids(owner, (ANN, work, START, start), table=table) == [id]


def test_new_ids_differ() -> None:
    found = {uuid7() for _ in range(1000)}
    assert len(found) == 1000
    assert {(id.version, id.variant) for id in found} == {(7, RFC_4122)}
