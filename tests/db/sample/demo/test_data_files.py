"""The data files: what they may hold, and that a refusal names the file.

Covers `db/sample/demo/load.py` and `db/sample/demo/movement.py`.
"""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection, Date, DateTime, Engine, Text, Uuid, select
from sqlalchemy.types import TypeEngine

from db.sample.demo.build import DATA
from db.sample.demo.data_files import read_files
from db.sample.demo.load import Load
from db.sample.demo.movement import Movement
from db.tables.people import organizations, teams
from db.tables.timesheets import clock_records
from tests.db.sample.demo.demo_rows import NOW, DemoRows

ORGANIZATION = '{"name":"Example","timezone":"Europe/Berlin","currency":"EUR"}\n'
COMPARED = (Date, DateTime, Text, Uuid)
TEAM = '{"id":"019b1d3a-6f00-7c11-8d52-5e0f6a7b8c9d","name":"Design"}\n'


def load(connection: Connection, folder: Path, **files: str) -> None:
    for table, text in ({"organizations": ORGANIZATION} | files).items():
        (folder / f"{table}.ndjson").write_text(text)
    Load(connection, uuid4(), folder, NOW).run()


def test_files_hold_at_most_a_megabyte_and_a_half() -> None:
    assert sum(file.stat().st_size for file in DATA.glob("*/**/*.ndjson*")) <= 1_500_000


@pytest.mark.parametrize("name", ["studio", "practice"])
def test_no_time_is_in_the_hour_that_clocks_skip(name: str) -> None:
    files = read_files(DATA / name)
    zone = ZoneInfo(files[organizations].rows[0]["timezone"])
    for table, file in files.items():
        times = [column.name for column in table.columns if column.type.python_type is datetime]
        for row in file.rows:
            for column in times:
                if row.get(column):
                    local = datetime.fromisoformat(row[column]).astimezone(zone)
                    assert (local.weekday(), local.hour) != (6, 2), f"{file.path}: {column} of {row} is on Sunday at 2"


@pytest.mark.parametrize(
    ("now", "days"),
    [
        (datetime(2026, 11, 16, tzinfo=UTC), 0),
        (datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC), 0),
        (datetime(2026, 11, 23, tzinfo=UTC), 7),
        (datetime(2026, 11, 15, 23, 59, 59, tzinfo=UTC), -7),
        (datetime(2027, 11, 24, tzinfo=UTC), 371),
    ],
)
def test_rows_move_by_the_weeks_since_the_last_one(now: datetime, days: int) -> None:
    assert Movement(now, "UTC", is_running=False).days == days


@pytest.mark.parametrize("name", ["studio", "practice"])
def test_rows_are_those_of_the_files_moved_by_weeks(name: str, studio: DemoRows, practice: DemoRows) -> None:
    """Texts and references as they stand in the files; days and local times of day in other weeks."""
    files, stored = read_files(DATA / name), {"studio": studio, "practice": practice}[name].tables
    zone = ZoneInfo(files[organizations].rows[0]["timezone"])
    moved = timedelta(days=Movement(NOW, zone.key, is_running=False).days)

    def loaded(kind: TypeEngine[Any], value: str) -> Any:
        if isinstance(kind, DateTime):
            return (datetime.fromisoformat(value).astimezone(zone) + moved).astimezone(UTC)
        return date.fromisoformat(value) + moved if isinstance(kind, Date) else value

    for table, file in files.items():
        if table is clock_records or "id" not in table.c:
            continue  # clock-outs after now are cut off, and other tables have keys of several columns
        rows = {str(row["id"]): row for row in stored[table.name]}
        there = [row for row in file.rows if row["id"] in rows]
        assert there, table.name
        for row in there:
            given = {key: value for key, value in row.items() if isinstance(table.c[key].type, COMPARED) and value}
            shown = {key: rows[row["id"]][key] for key in given}
            shown |= {key: str(value) for key, value in shown.items() if isinstance(value, UUID)}
            assert shown == {key: loaded(table.c[key].type, value) for key, value in given.items()}, table.name


def test_missing_columns_are_default_or_null(owner_engine: Engine, tmp_path: Path) -> None:
    with owner_engine.connect() as connection:
        load(connection, tmp_path, teams=TEAM)
        team = connection.execute(select(teams)).mappings().one()
    assert (team["name"], team["is_active"], team["description"]) == ("Design", True, None)


@pytest.mark.parametrize(
    ("table", "text", "message"),
    [
        ("teams", TEAM + "{\n", r"teams\.ndjson, line 2: this is not JSON: "),
        ("teams", '{"title":"Design"}\n', r"teams\.ndjson: teams has no column title\.$"),
        ("badges", TEAM, r"badges\.ndjson: no table of an organization is named badges\.$"),
        ("teams.old", TEAM, r"teams\.old\.ndjson: a table has one file, which is named after it"),
        ("teams", '{"name":"Design"}\n', r'teams\.ndjson: null value in column "id"'),
        ("teams", '{"id":"x","name":"Design"}\n', r'teams\.ndjson: .*uuid: "x"'),
    ],
)
def test_refused_file_is_named(owner_engine: Engine, tmp_path: Path, table: str, text: str, message: str) -> None:
    with owner_engine.connect() as connection, pytest.raises(ValueError, match=message):
        load(connection, tmp_path, **{table: text})
