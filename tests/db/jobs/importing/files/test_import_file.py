"""Files of an import: the table and the format that a name says, and compression."""

import gzip
from pathlib import Path

import pytest

from db.jobs.importing.files.import_file import FileError, ImportFile, find_files
from db.jobs.importing.rows import Problem, SourceRow

TABLES = {"teams", "team_members", "timesheets"}


def files(folder: Path, *names: str) -> list[tuple[str, str, str, bool]]:
    for name in names:
        (folder / name).touch()
    return [(file.path.name, file.table, file.format, file.is_compressed) for file in find_files([folder], TABLES)]


def test_name_says_table_format_and_compression(tmp_path: Path) -> None:
    names = "team_members.csv teams.jsonl teams.v2.parquet timesheets-2026-01.csv.gz .hidden.csv notes.md"
    assert files(tmp_path, *names.split()) == [
        ("team_members.csv", "team_members", ".csv", False),
        ("teams.jsonl", "teams", ".jsonl", False),
        ("teams.v2.parquet", "teams", ".parquet", False),
        ("timesheets-2026-01.csv.gz", "timesheets", ".csv", True),
    ]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("timesheet.csv", "names no table. A file is called TABLE.csv, with one of team_members, teams, timesheets."),
        ("teams.xlsx", "has none of the formats .csv, .ndjson, .jsonl, .parquet, which may be followed by .gz."),
        ("teams.parquet.gz", "must not be compressed: Parquet files are compressed inside."),
    ],
)
def test_other_names_are_refused(name: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(FileError) as caught:
        find_files([tmp_path / name], TABLES)
    assert str(caught.value) == f"{tmp_path / name} {sentence}"


def test_missing_file_and_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no file"):
        find_files([tmp_path / "teams.csv"], TABLES)
    with pytest.raises(FileError, match="has no file of the formats"):
        find_files([tmp_path], TABLES)


def test_compressed_file_is_read_and_metered(tmp_path: Path) -> None:
    path = tmp_path / "teams.csv.gz"
    path.write_bytes(gzip.compress(b"name\nDesign\n"))
    meter: list[int] = []
    _, row = find_files([path], TABLES)[0].rows(meter.append)
    assert row == SourceRow("teams", str(path), 2, {"name": "Design"})
    assert sum(meter) == path.stat().st_size


@pytest.mark.parametrize("damage", [slice(0, -9), slice(1, None)])
def test_damaged_gzip_is_a_problem(damage: slice, tmp_path: Path) -> None:
    path = tmp_path / "teams.csv.gz"
    path.write_bytes(gzip.compress(b"name\nDesign\n")[damage])
    *_, last = find_files([path], TABLES)[0].rows()
    assert isinstance(last, Problem)
    assert last.reason.startswith("is not whole gzip data: ")


def test_unreadable_file_is_a_problem(tmp_path: Path) -> None:
    file = ImportFile(tmp_path / "gone.csv", "teams", ".csv", is_compressed=False)
    assert list(file.rows()) == [
        Problem(str(tmp_path / "gone.csv"), 0, "", None, "cannot be read: No such file or directory")
    ]
