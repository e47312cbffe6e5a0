r"""Broken files, each with the sentences that `orgdata import` prints of it: `broken_files.txt`.

Covers `db/jobs/importing/files/source.py`, `db/jobs/importing/detailed_reports/report_file.py` and
`db/jobs/importing/problems.py`.

A case is its name, the command, the content of the file, and what is printed. Content is lines with escapes, such as
`> a\x00b`, or `>> the name` of something that is made here.
"""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID
from zipfile import ZipFile

import pytest

from db.jobs.importing.import_table import IMPORT_TABLES
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "name\nAcme\n")
    return buffer.getvalue()


MADE = {
    "workbook": zipped("[Content_Types].xml", "xl/workbook.xml"),
    "open document": zipped("mimetype", "content.xml"),
    "Parquet in gzip": gzip.compress(b"PAR1"),
    "half a gzip": gzip.compress(b"external_id,name\nd,Design\n")[:-9],
    "gzip in gzip": gzip.compress(gzip.compress(b"external_id,name\n")),
    "half a ZIP file": zipped("teams.csv")[:60],
    "ZIP file without its end": zipped("teams.csv")[:-9],
    "ZIP file of notes": zipped("readme.txt"),
    "empty ZIP file": zipped(),
    "1001 columns": ",".join(f"c{n}" for n in range(1001)).encode(),
}


def cases() -> Iterator[tuple[str, tuple[str, bytes, list[str]]]]:
    """Name, arguments, content and printed lines of each case."""
    text = Path(__file__).with_name("broken_files.txt").read_text()
    lists = {"{tables}": IMPORT_TABLES, "{columns of teams}": {*IMPORT_TABLES["teams"].columns, "external_id"}}
    for place, names in lists.items():
        text = text.replace(place, ", ".join(sorted(names)))
    for case in text.split("\n\n"):
        name, command, *lines = case.splitlines()
        content = b""
        while lines[0].startswith(">"):
            mark, _, line = lines.pop(0).partition(" ")
            written = line.encode().decode("unicode_escape").encode("latin-1") + b"\n"
            content += MADE[line] if mark == ">>" else written
        yield name.removeprefix("# "), (command.removeprefix("orgdata import "), content, lines)


CASES = dict(cases())


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize(("arguments", "content", "lines"), CASES.values(), ids=CASES)
def test_broken_file_is_refused_in_sentences(
    arguments: str, content: bytes, lines: list[str], run: Run, own: str, rows: Rows, folder: Path
) -> None:
    with rows.transaction(UUID(own)):
        rows.member(UUID(own), email="a@example.com")
    (folder / arguments.rsplit(maxsplit=1)[-1]).write_bytes(content)
    result = run("import", "--organization", own, *arguments.split())
    assert (result.code, result.out) == (1, "")
    shown = [line.removeprefix("orgdata: ") for line in result.err.splitlines()]
    assert [line for line in shown if not line.endswith("nothing was imported.")] == lines
