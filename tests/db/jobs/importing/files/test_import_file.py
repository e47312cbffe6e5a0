"""Files of an import: the table and the format that a name says, and compression."""

import gzip
import zipfile
from pathlib import Path

import pytest

from db.errors import OperatorError
from db.jobs.importing.files.import_file import ImportFile, find_files
from db.jobs.importing.files.source import SourceFile
from db.jobs.importing.rows import Problem, SourceRow


def files(folder: Path, *names: str) -> list[tuple[str, str, str]]:
    for name in names:
        (folder / name).touch()
    return [(file.source.name, file.table, file.format) for file in find_files([folder])]


def test_name_says_table_format_and_compression(tmp_path: Path) -> None:
    names = "team_members.csv teams.jsonl teams.v2.parquet timesheets-2026-01.csv.gz .hidden.csv notes.md"
    assert files(tmp_path, *names.split()) == [
        ("team_members.csv", "team_members", ".csv"),
        ("teams.jsonl", "teams", ".jsonl"),
        ("teams.v2.parquet", "teams", ".parquet"),
        ("timesheets-2026-01.csv.gz", "timesheets", ".csv"),
    ]


def test_missing_file_and_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="There is no file"):
        find_files([tmp_path / "teams.csv"])
    with pytest.raises(OperatorError, match="has no file of the formats"):
        find_files([tmp_path])


def test_compressed_file_is_read_and_metered(tmp_path: Path) -> None:
    path = tmp_path / "teams.csv.gz"
    path.write_bytes(gzip.compress(b"name\nDesign\n"))
    meter: list[int] = []
    _, row = find_files([path])[0].rows(meter.append)
    assert row == SourceRow("teams", str(path), 2, {"name": "Design"})
    assert sum(meter) == path.stat().st_size


def test_zip_file_has_the_files_that_its_names_say(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("2026/teams.csv", "name\nDesign\n")
        archive.writestr("2026/timesheets.ndjson", '{"id": "1"}\n')
    teams, timesheets = find_files([path])
    assert list(teams.rows())[-1] == SourceRow("teams", f"{path}:2026/teams.csv", 2, {"name": "Design"})
    assert list(timesheets.rows())[-1] == SourceRow("timesheets", f"{path}:2026/timesheets.ndjson", 1, {"id": "1"})


def test_other_encoding_is_told_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "teams.csv"
    path.write_bytes("name;code\nMüller & Söhne;1\n".encode("cp1252"))
    (file,) = find_files([path])
    assert list(file.rows())[-1] == SourceRow("teams", str(path), 2, {"name": "Müller & Söhne", "code": "1"})
    assert file.note() == f"{path} was read as Windows-1252: Müller"


def test_unreadable_file_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "gone.csv"
    (problem,) = ImportFile(SourceFile(path), "teams", ".csv").rows()
    assert problem == Problem(str(path), 0, "cannot be read: No such file or directory")
