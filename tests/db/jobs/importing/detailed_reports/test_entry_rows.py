"""Ids of imported entries: made by what identifies an entry, the same in each import."""

from uuid import RFC_4122, UUID

import pytest
from sqlalchemy import Connection, Table

from db.admin.keys import set_organization
from db.admin.organizations import uuid7
from db.jobs.importing.detailed_reports.entry_rows import EntryRows
from db.jobs.importing.detailed_reports.entry_stage import CREATE
from db.jobs.importing.detailed_reports.replaced_days import TimeSpan
from db.jobs.importing.statements import run
from db.tables.timesheets import break_times, timesheets

START, HOUR, DAY = 1_772_438_400, 3600, 86_400
ANN, BOB = 0, 1
TIMER, PAUSE, MANUAL = 0, 1, 2


def ids(
    owner: Connection,
    own: UUID,
    *entries: tuple[int, int, int, int],
    table: Table = timesheets,
    are_placed: bool = False,
) -> list[str]:
    """The ids of entries, in their order: person, work, start and seconds of each."""
    source = f"{UUID(int=1)}/toggl"
    rows = EntryRows(["report.csv"], source, (), "UTC", TimeSpan(0, 0), are_placed=are_placed)
    with owner.begin():
        set_organization(owner, own)
        run(owner, CREATE)
        run(owner, f"INSERT INTO import_people VALUES ({ANN}, '{UUID(int=2)}'), ({BOB}, '{UUID(int=3)}')")
        works = f"({TIMER}, false, false), ({PAUSE}, true, false), ({MANUAL}, false, true)"
        run(owner, f"INSERT INTO import_work VALUES {works}")
        for line, (person, work, known_at, seconds) in enumerate(entries):
            values = f"{100 * line}, 0, {line}, {person}, {work}, {known_at}, {seconds}"
            run(owner, f"INSERT INTO import_entries VALUES ({values})")
        run(owner, rows.numbering)
        return [str(row.id) for row in run(owner, f"SELECT * FROM ({rows.query(table).sql}) q ORDER BY row")]


def test_ids_of_entries_are_those_of_earlier_versions(owner: Connection, own: UUID) -> None:
    entries = (ANN, TIMER, START, HOUR), (BOB, TIMER, START, HOUR)
    assert ids(owner, own, *entries) == ["019cad8f-ac00-7b92-b83d-ab64b9e399b7", "019cad8f-ac00-7e6b-bdf4-95c01343514a"]
    assert ids(owner, own, (ANN, TIMER, START + 3 * DAY, DAY + HOUR)) == [
        "019cbd02-c000-7181-b7ee-2d2763052943",
        "019cc229-1c00-7181-b7ee-2d2763052943",
    ]


def test_ids_of_equal_starts_are_in_the_order_of_the_file(owner: Connection, own: UUID) -> None:
    assert ids(owner, own, *[(ANN, TIMER, START, HOUR)] * 3) == [
        "019cad8f-ac00-7b92-b83d-ab64b9e399b7",
        "019cad8f-ac01-7a4f-9672-df9d75228c32",
        "019cad8f-ac02-7023-add1-b1594ce1e336",
    ]


@pytest.mark.parametrize(
    ("table", "work", "id"),
    [
        (break_times, PAUSE, "019cad8f-ac00-79d2-aa3e-e063d1b8bfb0"),
        (timesheets, MANUAL, "019cad8f-ac00-7b92-b83d-ab64b9e399b7"),
    ],
)
def test_table_and_day_identify_an_entry(owner: Connection, own: UUID, table: Table, work: int, id: str) -> None:
    assert ids(owner, own, (ANN, work, START, HOUR), table=table, are_placed=True) == [id]


def test_new_ids_differ() -> None:
    found = {uuid7() for _ in range(1000)}
    assert len(found) == 1000
    assert {(id.version, id.variant) for id in found} == {(7, RFC_4122)}
